#include "tally/tally.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char *tally_version(void) {
    return TEXT(TALLY_VERSION_MAJOR) "." TEXT(TALLY_VERSION_MINOR) "." TEXT(TALLY_VERSION_PATCH);
}
