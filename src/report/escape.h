/* Names and file names as each format can carry them. Bytes that are no UTF-8 become U+FFFD in JSON, XML. */
#ifndef TY_ESCAPE_H
#define TY_ESCAPE_H

#include <stdio.h>

/* With its quotation marks; NULL gives null. */
void ty_put_json(FILE *out, const char *text);

/* The value of an attribute, without quotation marks. Control characters that XML lacks become U+FFFD. */
void ty_put_xml(FILE *out, const char *text);

/* The name of an attribute: what may not stand there becomes _xHHHH_ (the code point in four or eight hex
 * digits), as .NET's XmlConvert.EncodeName does. */
void ty_put_xml_name(FILE *out, const char *name);

/* A field; in quotation marks where RFC 4180 wants them. */
void ty_put_csv(FILE *out, const char *text);

/* Subtitle text: "|" breaks a line there and "{" begins a command, so these, "}", "%" and control characters
 * become %HH. */
void ty_put_sub(FILE *out, const char *text);

/* Text for people: control characters become "?". */
void ty_put_plain(FILE *out, const char *text);

#endif
