/* SPDX-License-Identifier: MIT */
/*
 * kparse_lru_gen() as it is on a processor without SSE2.
 */
#undef __SSE2__

#define kparse_lru_gen   kparse_lru_gen_portable
#define block_take       portable_block_take
#define block_parse_line portable_block_parse_line
#define block_close      portable_block_close

#include "kparse_block.c"
#include "kparse_lru_gen.c"
