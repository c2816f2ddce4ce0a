/* The progress line: on standard error, and only if that is a terminal. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "tally/tally.h"

/* Shows progress of the run that gets these options, unless `quiet`. */
void progress_start(bool quiet, tally_file_options *options);

/* Wipes the line, before something else is written. */
void progress_clear(void);

#endif
