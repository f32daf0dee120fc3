/* SPDX-License-Identifier: MIT */
/*
 * kparse_lru_gen() to which no line looks as it mostly does.
 */
#define kparse_lru_gen   kparse_lru_gen_general
#define block_take       general_block_take
#define block_parse_line general_block_parse_line
#define block_close      general_block_close

/* In place of kparse_columns.h. */
#define FGRECLAIM_KPARSE_COLUMNS_H
#define columns_take_gen(t, ret)          ((void)(t), (void)(ret), false)
#define columns_take_tier(t, number, ret) ((void)(t), (void)(ret), false)
#define columns_take_walk(t, ret, ret_n)  ((void)(t), (void)(ret), false)
#define columns_take_node(t, ret)         ((void)(t), *(ret) = 0, false)
#define columns_take_memcg(t, ret)        ((void)(t), *(ret) = 0, false)

#include "kparse_block.c"
#include "kparse_lru_gen.c"
