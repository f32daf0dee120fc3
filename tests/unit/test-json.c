/* SPDX-License-Identifier: MIT */
/*
 * JSON as it is made: layout, numbers that do not fit, bytes that are no text, and no memory.
 */
#include "json.h"
#include "escape.h"
#include "macro.h"
#include "sample.h"

#include <errno.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

struct output {
	char *text;
	size_t size;
	FILE *file;
	struct json_writer *writer;
};

static void output_open(struct output *output)
{
	*output = (struct output){0};
	output->file = open_memstream(&output->text, &output->size);
	assert_non_null(output->file);
	assert_int_equal(json_writer_new(output->file, &output->writer), 0);
}

/* What json_writer_finish() says; the text stays. */
static int output_finish(struct output *output)
{
	int r = json_writer_finish(output->writer);

	output->writer = json_writer_free(output->writer);
	assert_null(output->writer);
	fclose(output->file);
	return r;
}

static void assert_output(struct output *output, const char *wanted)
{
	assert_int_equal(output_finish(output), 0);
	assert_string_equal(output->text, wanted);
	free(output->text);
}

static void test_layout(void **state _unused_)
{
	struct output output;

	output_open(&output);
	json_begin_object(output.writer, NULL);
	json_begin_array(output.writer, "rows");
	for (unsigned i = 0; i < 2; i++) {
		json_begin_object(output.writer, NULL);
		json_put_u64(output.writer, "n", i);
		json_begin_array(output.writer, "list");
		json_put_bool(output.writer, NULL, i == 0);
		json_begin_object(output.writer, NULL);
		json_put_null(output.writer, "z");
		json_put_text(output.writer, "a", NULL);
		json_end(output.writer);
		json_end(output.writer);
		json_end(output.writer);
	}
	json_put_u64(output.writer, NULL, 7);
	json_end(output.writer);
	json_put_text(output.writer, "text", "x");
	json_begin_array(output.writer, "empty");
	json_end(output.writer);
	json_begin_object(output.writer, "hollow");
	json_end(output.writer);
	json_end(output.writer);
	/* Members stay in their order; a row is a line. */
	assert_output(&output, "{\"rows\":[\n"
			       "{\"n\":0,\"list\":[true,{\"z\":null,\"a\":null}]},\n"
			       "{\"n\":1,\"list\":[false,{\"z\":null,\"a\":null}]},\n"
			       "7\n"
			       "],\"text\":\"x\",\"empty\":[],\"hollow\":{}}\n");
}

static void test_values(void **state _unused_)
{
	struct output output;

	output_open(&output);
	json_begin_array(output.writer, NULL);
	json_put_u64(output.writer, NULL, 0);
	json_put_u64(output.writer, NULL, INT64_MAX);
	json_put_u64(output.writer, NULL, (uint64_t)INT64_MAX + 1);
	json_put_u64(output.writer, NULL, SAMPLE_UNKNOWN);
	json_put_u64(output.writer, NULL, SAMPLE_INFINITY);
	json_put_milli(output.writer, NULL, 0);
	json_put_milli(output.writer, NULL, 1);
	json_put_milli(output.writer, NULL, 100);
	json_put_milli(output.writer, NULL, 123456789012345);
	json_put_milli(output.writer, NULL, SAMPLE_UNKNOWN);
	json_put_text(output.writer, NULL, "\"\\/\n");
	json_put_bytes(output.writer, NULL, "a\0b", 3);
	json_put_text(output.writer, NULL, "\xc2\x9b\xf0\x9f\x90\xa7");
	json_end(output.writer);
	assert_output(&output, "[0,9223372036854775807,null,null,null,0.0,0.001,0.1,"
			       "123456789012.345,null,\"\\\"\\\\/\\n\",\"a\\\\x00b\","
			       "\"\\u009B\\uD83D\\uDC27\"]\n");
}

static void test_misuse(void **state _unused_)
{
	struct output output;

	/* Left open, at any depth. */
	for (unsigned depth = 1; depth < 5; depth++) {
		output_open(&output);
		for (unsigned i = 0; i < depth; i++)
			json_begin_array(output.writer, NULL);
		assert_int_equal(output_finish(&output), -EINVAL);
		free(output.text);
	}
	/* Ended once too often. */
	output_open(&output);
	json_begin_array(output.writer, NULL);
	json_end(output.writer);
	json_end(output.writer);
	assert_int_equal(output_finish(&output), -EINVAL);
	free(output.text);
	/* Deeper than anything that we write. */
	output_open(&output);
	for (unsigned i = 0; i < 100; i++)
		json_begin_array(output.writer, NULL);
	for (unsigned i = 0; i < 100; i++)
		json_end(output.writer);
	assert_int_equal(output_finish(&output), -EINVAL);
	free(output.text);
	assert_null(json_writer_free(NULL));
}

/* Texts that have to come out as they are, and such that must not. */
static void test_text(void **state _unused_)
{
	static const struct {
		const char *bytes, *json, *terminal;
	} cases[] = {
		{"", "", ""},
		{"/system.slice/a\\x2db.service", "/system.slice/a\\x2db.service",
		 "/system.slice/a\\x2db.service"},
		{"\xc3\xa9\xe4\xb8\xad\xf0\x9f\x90\xa7", "\xc3\xa9\xe4\xb8\xad\xf0\x9f\x90\xa7",
		 "\xc3\xa9\xe4\xb8\xad\xf0\x9f\x90\xa7"},
		{"\x1b[2J\x7f", "\x1b[2J\x7f", "\\x1b[2J\\x7f"},
		{"\xc2\x9b", "\xc2\x9b", "\\xc2\\x9b"},
		{"\xc2\xa0", "\xc2\xa0", "\xc2\xa0"},
		/* alone, cut short, overlong, a surrogate, beyond the last character */
		{"\x80", "\\x80", "\\x80"},
		{"\xff\xfe", "\\xff\\xfe", "\\xff\\xfe"},
		{"a\xc3", "a\\xc3", "a\\xc3"},
		{"\xe4\xb8/", "\\xe4\\xb8/", "\\xe4\\xb8/"},
		{"\xc0\x80\xc1\xbf", "\\xc0\\x80\\xc1\\xbf", "\\xc0\\x80\\xc1\\xbf"},
		{"\xe0\x9f\xbf", "\\xe0\\x9f\\xbf", "\\xe0\\x9f\\xbf"},
		{"\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf", "\\xf0\\x8f\\xbf\\xbf"},
		{"\xed\xa0\x80", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80"},
		{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\\xf4\\x90\\x80\\x80"},
		{"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *json = escape_text(cases[i].bytes, strlen(cases[i].bytes), 0);
		_cleanup_free_ char *terminal =
			escape_text(cases[i].bytes, strlen(cases[i].bytes), true);

		assert_string_equal(json, cases[i].json);
		assert_string_equal(terminal, cases[i].terminal);
	}
}

/* Whatever the bytes are, jansson takes them. */
static void test_all_bytes(void **state _unused_)
{
	for (unsigned first = 0xc0; first < 0x100; first++)
		for (unsigned second = 0x70; second < 0x100; second++) {
			char bytes[] = {(char)first, (char)second, (char)0x80, (char)0xbf, 'x'};
			struct output output;

			output_open(&output);
			json_begin_array(output.writer, NULL);
			json_put_bytes(output.writer, NULL, bytes, sizeof(bytes));
			json_end(output.writer);
			assert_int_equal(output_finish(&output), 0);
			free(output.text);
		}
}

/* --- no memory */

static unsigned allocations_left;

static void *failing_malloc(size_t size)
{
	return allocations_left > 0 && allocations_left-- ? malloc(size) : NULL;
}

static int write_sample(struct output *output)
{
	output_open(output);
	json_begin_object(output->writer, NULL);
	json_begin_array(output->writer, "rows");
	json_begin_object(output->writer, NULL);
	json_put_text(output->writer, "text", "text");
	json_begin_object(output->writer, "inner");
	json_put_u64(output->writer, "n", 1);
	json_put_milli(output->writer, "m", 1);
	json_end(output->writer);
	json_end(output->writer);
	json_end(output->writer);
	json_put_u64(output->writer, "n", 1);
	json_end(output->writer);
	return output_finish(output);
}

/* The n-th allocation fails: said, and nothing leaks (for a sanitizer or valgrind to see). */
static void test_no_memory(void **state _unused_)
{
	struct output output;
	unsigned n = 0;
	int r;

	json_set_alloc_funcs(failing_malloc, free);
	do {
		allocations_left = n++;
		r = write_sample(&output);
		if (r == 0)
			assert_string_equal(output.text,
					    "{\"rows\":[\n{\"text\":\"text\",\"inner\":"
					    "{\"n\":1,\"m\":0.001}}\n],\"n\":1}\n");
		else
			assert_int_equal(r, -ENOMEM);
		free(output.text);
	} while (r < 0 && n < 1000);
	json_set_alloc_funcs(malloc, free);
	assert_int_equal(r, 0);
	assert_in_range(n, 6, 999);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),    cmocka_unit_test(test_values),
		cmocka_unit_test(test_misuse),    cmocka_unit_test(test_text),
		cmocka_unit_test(test_all_bytes), cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
