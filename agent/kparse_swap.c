/* SPDX-License-Identifier: MIT */
/*
 * /proc/swaps, zram's mm_stat and a disk's queue/rotational to structs: what swap there is, whether
 * it is memory again, and what it costs. Sources: mm/swapfile.c swap_show() (names pass seq_file_path(), which writes blank, tab, newline
 * and backslash as octal), drivers/block/zram/zram_drv.c mm_stat_show().
 */
#include "kparse.h"
#include "kparse_text.h"
#include "macro.h"

/* Undoes \ooo. What does not fit is cut off: the name is for people, the numbers matter. */
static int unescape(struct text word, char *ret, size_t size)
{
	size_t n = 0;

	while (word.p < word.end) {
		unsigned int c = (unsigned char)*word.p++;

		if (c == '\\') {
			c = 0;
			for (int i = 0; i < 3; i++) {
				int digit = text_peek(&word);

				if (digit < '0' || digit > '7')
					return -EINVAL;
				c = c * 8 + (unsigned int)(digit - '0');
				word.p++;
			}
		}
		if (c == 0 || c > 255)
			return -EINVAL;
		if (n + 1 < size)
			ret[n++] = (char)c;
	}
	ret[n] = '\0';
	return 0;
}

/* devtmpfs seen through another mount gives "/zram0". */
static bool is_zram_name(struct text name)
{
	uint64_t number;

	text_take(&name, "/dev");
	return text_take(&name, "/zram") && text_to_number(name, &number) == 0;
}

static int take_kbytes(struct text *line, uint64_t *ret_bytes)
{
	struct text word;
	uint64_t value;

	if (!text_take_word(line, &word) || text_to_number(word, &value) < 0 ||
	    value >= SAMPLE_INFINITY / 1024)
		return -EINVAL;
	*ret_bytes = value * 1024;
	return 0;
}

static int parse_swap_line(struct text line, struct swap_area *ret)
{
	struct text name, type, priority;
	uint64_t value;
	bool negative;

	if (!text_take_word(&line, &name) || !text_take_word(&line, &type))
		return -EINVAL;
	if (unescape(name, ret->name, sizeof(ret->name)) < 0)
		return -EINVAL;
	if (!text_equals(&type, "partition") && !text_equals(&type, "file"))
		return -EINVAL;
	ret->is_file = text_equals(&type, "file");
	ret->is_zram = !ret->is_file && is_zram_name(name);
	if (take_kbytes(&line, &ret->size_bytes) < 0 || take_kbytes(&line, &ret->used_bytes) < 0)
		return -EINVAL;
	if (!text_take_word(&line, &priority) || line.p != line.end)
		return -EINVAL;
	negative = text_take(&priority, "-");
	if (text_to_number(priority, &value) < 0 || value > INT64_MAX)
		return -EINVAL;
	ret->priority = negative ? -(int64_t)value : (int64_t)value;
	return 0;
}

static int each_swap_line(struct text t, kparse_swap_emit_t emit, void *userdata)
{
	struct swap_area area;
	struct text line;
	bool whole;

	if (!text_take_line(&t, &line, &whole) || !whole || !text_take(&line, "Filename"))
		return -EINVAL;
	while (text_take_line(&t, &line, &whole)) {
		if (!whole || parse_swap_line(line, &area) < 0)
			return -EINVAL;
		if (emit)
			emit(&area, userdata);
	}
	return 0;
}

int kparse_swaps(const char *text, size_t len, kparse_swap_emit_t emit, void *userdata)
{
	/* Checked as a whole first: a list that lacks an area would be wrong about all of swap. */
	int r = each_swap_line(text_of(text, len), NULL, NULL);

	return r < 0 ? r : each_swap_line(text_of(text, len), emit, userdata);
}

int kparse_rotational(const char *text, size_t len, bool *ret)
{
	struct text line;
	uint64_t value;

	if (!text_only_line(text, len, &line) || text_to_number(line, &value) < 0 || value > 1)
		return -EINVAL;
	*ret = value == 1;
	return 0;
}

int kparse_zram_mm_stat(const char *text, size_t len, struct zram_stat *ret)
{
	struct text line, word;
	uint64_t values[3];

	if (!text_only_line(text, len, &line))
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		if (!text_take_word(&line, &word) || text_to_number(word, &values[i]) < 0)
			return -EINVAL;
	}
	*ret = (struct zram_stat){values[0], values[1], values[2]};
	return 0;
}
