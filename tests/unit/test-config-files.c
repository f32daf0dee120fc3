/* SPDX-License-Identifier: MIT */
/*
 * Which configuration files count and in which order, and what of their lines inih gets to see.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config_files.h"
#include "config-tree.h"

#define ETC   "etc/fgreclaim/"
#define RUN   "run/fgreclaim/"
#define LOCAL "usr/local/lib/fgreclaim/"
#define LIB   "usr/lib/fgreclaim/"
#define MAIN  "fgreclaimd.conf"
#define DROP  "fgreclaimd.conf.d/"

/* Compares what is found with names, blank-separated, relative to the root. */
static void assert_found(const struct tree *tree, const char *wanted)
{
	struct config_files files;
	struct config_error error;
	char found[1024] = "";

	assert_int_equal(config_files_find(tree->root, &files, &error), 0);
	for (size_t i = 0; i < files.n; i++) {
		assert_memory_equal(files.paths[i], tree->root, strlen(tree->root));
		if (i > 0)
			strcat(found, " ");
		strcat(found, files.paths[i] + strlen(tree->root) + 1);
	}
	config_files_done(&files);
	assert_string_equal(found, wanted);
}

static void test_none(void **state)
{
	assert_found(*state, "");
}

static void test_main_precedence(void **state)
{
	const struct tree *tree = *state;

	tree_write_text(tree, LIB MAIN, "");
	assert_found(tree, LIB MAIN);
	tree_write_text(tree, LOCAL MAIN, "");
	assert_found(tree, LOCAL MAIN);
	tree_write_text(tree, RUN MAIN, "");
	assert_found(tree, RUN MAIN);
	tree_write_text(tree, ETC MAIN, "");
	assert_found(tree, ETC MAIN);
}

static void test_drop_in_order(void **state)
{
	const struct tree *tree = *state;

	tree_write_text(tree, LIB DROP "50-b.conf", "");
	tree_write_text(tree, ETC DROP "60-a.conf", "");
	tree_write_text(tree, RUN DROP "10-z.conf", "");
	tree_write_text(tree, LOCAL DROP "55.conf", "");
	tree_write_text(tree, LIB MAIN, "");
	assert_found(tree, LIB MAIN " " RUN DROP "10-z.conf " LIB DROP "50-b.conf " LOCAL DROP
				    "55.conf " ETC DROP "60-a.conf");
}

static void test_same_name_masks(void **state)
{
	const struct tree *tree = *state;

	tree_write_text(tree, LIB DROP "50-b.conf", "");
	tree_write_text(tree, LIB DROP "40-a.conf", "");
	tree_link(tree, RUN DROP "40-a.conf", "/dev/null");
	tree_write_text(tree, RUN DROP "50-b.conf", "");
	tree_write_text(tree, ETC DROP "50-b.conf", "");
	assert_found(tree, RUN DROP "40-a.conf " ETC DROP "50-b.conf");
}

static void test_ignored_names(void **state)
{
	const struct tree *tree = *state;

	tree_write_text(tree, ETC DROP ".hidden.conf", "");
	tree_write_text(tree, ETC DROP ".conf", "");
	tree_write_text(tree, ETC DROP "a.conf~", "");
	tree_write_text(tree, ETC DROP "a.conf.dpkg-old", "");
	tree_write_text(tree, ETC DROP "README", "");
	tree_write_text(tree, ETC DROP "b.conf", "");
	assert_found(tree, ETC DROP "b.conf");
}

static void test_root_spelling(void **state)
{
	const struct tree *tree = *state;
	struct config_files files;
	struct config_error error;
	char root[128];

	tree_write_text(tree, ETC MAIN, "");
	snprintf(root, sizeof(root), "%s//", tree->root);
	assert_int_equal(config_files_find(root, &files, &error), 0);
	assert_int_equal(files.n, 1);
	assert_null(strstr(files.paths[0], "//"));
	config_files_done(&files);
	assert_null(files.paths);
}

static void test_not_a_directory(void **state)
{
	const struct tree *tree = *state;
	struct config_files files = {NULL, 7};
	struct config_error error;

	tree_write_text(tree, ETC "fgreclaimd.conf.d", "");
	assert_int_equal(config_files_find(tree->root, &files, &error), -ENOTDIR);
	assert_non_null(strstr(error.text, "etc/fgreclaim/fgreclaimd.conf.d: Not a directory"));
	assert_int_equal(files.n, 7);
}

/* Reads all lines into ret, each followed by "|"; returns the number of lines handed out. */
static unsigned int read_all(const struct tree *tree, const char *data, size_t len,
			     struct config_reader *reader, char *ret)
{
	char buf[1000]; /* more than inih has: the limit holds all the same */
	unsigned int n = 0;

	*ret = '\0';
	assert_int_equal(config_reader_open(reader, tree_write(tree, "x", data, len)), 0);
	while (config_reader_next(buf, sizeof(buf), reader)) {
		assert_int_equal(buf[strlen(buf) - 1], '\n');
		assert_ptr_equal(strchr(buf, '\n'), buf + strlen(buf) - 1);
		n++;
		assert_int_equal(reader->line, n);
		buf[strlen(buf) - 1] = '|';
		strcat(ret, buf);
	}
	config_reader_close(reader);
	assert_null(reader->file);
	assert_int_equal(reader->r, 0);
	return n;
}

static void test_lines_kept(void **state)
{
	static const struct {
		const char *data, *lines;
	} cases[] = {
		{"", ""},
		{"\n\n", "||"},
		{"a=b", "a=b|"},
		{"a=b\n", "a=b|"},
		{"a=b\r\n[c]\r\n", "a=b|[c]|"},
		{"a=b\r", "a=b|"},
		{"\r\n", "|"},
		{"#x\n ; y\n\t# z\na=b\n", "|||a=b|"},
		{" \t \na=b\n", " \t |a=b|"},
		{"\xef\xbb\xbf[a]\nb=c\n", "[a]|b=c|"},
		{"\xef\xbb\xbf", ""},
		{"a = b:c;d#e \n", "a = b:c;d#e |"},
		{"[a] \n", "[a] |"},
		{"k=caf\xc3\xa9\n", "k=caf\xc3\xa9|"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct config_reader reader;
		char lines[1024];

		read_all(*state, cases[i].data, strlen(cases[i].data), &reader, lines);
		assert_null(reader.fault);
		assert_string_equal(lines, cases[i].lines);
	}
}

static void test_lines_refused(void **state)
{
	static const struct {
		const char *line, *fault;
	} cases[] = {
		{" a=b", "white space at the start"},
		{"\t[a]", "white space at the start"},
		{"a=b ;c", "line of its own"},
		{"a=b\t#c", "line of its own"},
		{"a= ;", "line of its own"},
		{"a ;=b", "line of its own"},
		{"[a] ; b", "line of its own"},
		{"[a", "\"]\" is missing"},
		{"[a] b=c", "text after"},
		{"[a]]", "text after"},
		{"a", "neither"},
		{"a:b", "neither"},
		{"a:b=c", "neither"},
		{"=b", "neither"},
		{"a=b\x01", "control character"},
		{"a=b\x7f", "control character"},
		{"a=b\rc=d", "control character"},
		{"a=b\r\r", "control character"},
		{"#\x1b[2J", "control character"},
		{"\xef\xbb\xbf[a]", "neither"}, /* not in the first line */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct config_reader reader;
		char lines[1024], data[256];

		snprintf(data, sizeof(data), "#\nk=v\n%s\nz=z\n", cases[i].line);
		assert_int_equal(read_all(*state, data, strlen(data), &reader, lines), 2);
		assert_int_equal(reader.line, 3);
		if (!reader.fault || !strstr(reader.fault, cases[i].fault))
			fail_msg("\"%s\": %s", cases[i].line,
				 reader.fault ? reader.fault : "passed");
	}
}

static void test_nul(void **state)
{
	struct config_reader reader;
	char lines[1024];

	assert_int_equal(read_all(*state, "a=b\nc\0=d\n", 9, &reader, lines), 1);
	assert_string_equal(reader.fault, "a NUL byte");
	assert_int_equal(read_all(*state, "a=b\n#\0\n", 7, &reader, lines), 1);
	assert_string_equal(reader.fault, "a NUL byte");
}

static void test_length(void **state)
{
	struct config_reader reader;
	char lines[1024], data[1024];
	int n;

	/* 198 with any end of line pass, 199 do not; a comment may be as long as it likes. */
	n = snprintf(data, sizeof(data), "a=%0196d\nb=%0196d\r\nc=%0196d", 0, 0, 0);
	assert_int_equal(read_all(*state, data, (size_t)n, &reader, lines), 3);
	assert_null(reader.fault);
	assert_int_equal(strlen(lines), 3 * 199);
	n = snprintf(data, sizeof(data), "a=1\nb=%0197d\n", 0);
	assert_int_equal(read_all(*state, data, (size_t)n, &reader, lines), 1);
	assert_string_equal(reader.fault, "longer than 198 bytes");
	assert_int_equal(reader.line, 2);
	n = snprintf(data, sizeof(data), "#%0500d\n ;%0500d\n", 0, 0);
	assert_int_equal(read_all(*state, data, (size_t)n, &reader, lines), 2);
	assert_null(reader.fault);
	assert_string_equal(lines, "||");
}

/* An inih that was built with a shorter buffer gets no part of a line. */
static void test_short_buffer(void **state)
{
	struct config_reader reader;
	char buf[6];

	assert_int_equal(config_reader_open(&reader, tree_write_text(*state, "x", "a=12\nb=123\n")),
			 0);
	assert_non_null(config_reader_next(buf, sizeof(buf), &reader));
	assert_string_equal(buf, "a=12\n");
	assert_null(config_reader_next(buf, sizeof(buf), &reader));
	assert_non_null(reader.fault);
	config_reader_close(&reader);
}

static void test_open(void **state)
{
	const struct tree *tree = *state;
	struct config_reader reader;
	char path[128];

	tree_path(tree, "none", path, sizeof(path));
	assert_int_equal(config_reader_open(&reader, path), -ENOENT);
	assert_int_equal(config_reader_open(&reader, tree->root), -EISDIR);
	tree_path(tree, "fifo", path, sizeof(path));
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(config_reader_open(&reader, path), -ENOTSUP);
	assert_int_equal(config_reader_open(&reader, "/dev/zero"), -ENOTSUP);
	assert_int_equal(config_reader_open(&reader, "/dev/null"), 0);
	assert_null(config_reader_next(path, sizeof(path), &reader));
	assert_null(reader.fault);
	config_reader_close(&reader);
}

static void test_read_error(void **state)
{
	struct config_reader reader;
	char buf[200];

	(void)state;
	/* The first page of a process is not mapped: a regular file whose first read fails. */
	if (config_reader_open(&reader, "/proc/self/mem") < 0)
		skip();
	assert_null(config_reader_next(buf, sizeof(buf), &reader));
	assert_int_equal(reader.r, -EIO);
	config_reader_close(&reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(test_none),
		TREE_TEST(test_main_precedence),
		TREE_TEST(test_drop_in_order),
		TREE_TEST(test_same_name_masks),
		TREE_TEST(test_ignored_names),
		TREE_TEST(test_root_spelling),
		TREE_TEST(test_not_a_directory),
		TREE_TEST(test_lines_kept),
		TREE_TEST(test_lines_refused),
		TREE_TEST(test_nul),
		TREE_TEST(test_length),
		TREE_TEST(test_short_buffer),
		TREE_TEST(test_open),
		cmocka_unit_test(test_read_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
