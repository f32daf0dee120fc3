/* SPDX-License-Identifier: MIT */
#include "top.h"
#include "arith.h"
#include "ctl_rows.h"
#include "explain.h"
#include "macro.h"

#include <curses.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

/* Lines above the list, and below it when there is room for both. */
#define HEAD_LINES   3
#define DETAIL_LINES (2 + SEEN_GENS + TOP_HISTORY)
#define ROWS_LEAST   3

static const struct {
	const char *head;
	int width, key;
} columns[_TOP_ORDER_MAX] = {
	[TOP_BY_PATH] = {"CGROUP", 0, 'n'},          [TOP_BY_CURRENT] = {"CURRENT", 9, 'c'},
	[TOP_BY_WORKING_SET] = {"WORKSET", 9, 'w'},  [TOP_BY_COLD] = {"COLD", 9, 'o'},
	[TOP_BY_ANON_BACK] = {"ANON BACK", 10, 'a'}, [TOP_BY_FILE_BACK] = {"FILE BACK", 10, 'f'},
};

static SCREEN *screen;
static bool colours;

/* A signal that ends us; 0: none. */
static volatile sig_atomic_t ended_by;

static void on_signal(int number)
{
	ended_by = number;
}

/* --- the terminal */

static void catch_signals(sigset_t *ret_blocked)
{
	static const int numbers[] = {SIGHUP, SIGINT, SIGTERM};
	struct sigaction action = {.sa_handler = on_signal};

	/* They are let through only where it is waited for them: none comes in between unseen. */
	sigemptyset(ret_blocked);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		sigaddset(ret_blocked, numbers[i]);
		sigaction(numbers[i], &action, NULL);
	}
	sigprocmask(SIG_BLOCK, ret_blocked, NULL);
}

int top_open(void)
{
	sigset_t blocked;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return -ENOTTY;
	setlocale(LC_CTYPE, "");
	/* Unlike initscr(), which ends the program. */
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return -ENOTTY;
	catch_signals(&blocked);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	colours = ctl_colours_wanted() && has_colors() && start_color() == OK;
	if (colours) {
		use_default_colors();
		init_pair(1, COLOR_GREEN, -1);
		init_pair(2, COLOR_YELLOW, -1);
	}
	return 0;
}

void top_close(void)
{
	endwin();
	delscreen(screen);
	screen = NULL;
}

/* --- what is shown */

/* Cut off at the end of the line. */
static void put(int line, int column, const char *format, ...) _printf_(3, 4);

static void put(int line, int column, const char *format, ...)
{
	char text[1024];
	va_list ap;

	if (line < 0 || line >= LINES || column >= COLS)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	mvaddnstr(line, column, text, COLS - column);
}

static const char *bytes(uint64_t value)
{
	static char texts[4][BYTES_TEXT_MAX];
	static unsigned next;

	next = (next + 1) % ARRAY_SIZE(texts);
	return explain_bytes(value, texts[next], BYTES_TEXT_MAX);
}

static void put_head(const struct top_view *view)
{
	const struct status *status = view->status;

	if (status) {
		put(0, 0, "fgreclaimd %s: %s%s, capability %s", status->version ?: "-",
		    status->state ?: "-", status->dry_run ? ", dry run" : "",
		    status->capability ?: "-");
		put(1, 0, "freed %s of %s, %s came back, %s out; %zu cgroups",
		    bytes(status->freed_bytes), bytes(status->asked_bytes),
		    bytes(status->returned_bytes), bytes(status->out_bytes), view->n);
	} else {
		put(0, 0, "%s", view->why_not ?: "");
		put(1, 0, "waiting for it");
	}
}

static int put_columns(enum top_order order)
{
	int column = 0;

	for (enum top_order by = TOP_BY_CURRENT; by < _TOP_ORDER_MAX; by++) {
		if (by == order)
			attron(A_REVERSE);
		put(HEAD_LINES - 1, column, "%*s", columns[by].width, columns[by].head);
		attroff(A_REVERSE);
		column += columns[by].width;
	}
	if (order == TOP_BY_PATH)
		attron(A_REVERSE);
	put(HEAD_LINES - 1, column + 2, "%s: DECISION", columns[TOP_BY_PATH].head);
	attroff(A_REVERSE);
	return column + 2;
}

static void put_rate(int line, int column, int width, uint64_t mpps)
{
	if (is_number(mpps))
		put(line, column, "%*" PRIu64 ".%" PRIu64, width - 2, mpps / 1000, mpps / 100 % 10);
	else
		put(line, column, "%*s", width, "-");
}

static void put_row(int line, const struct ledger_row *row, bool selected)
{
	const uint64_t sizes[] = {row->current_bytes, row->working_set_bytes, row->cold_bytes};
	enum ctl_colour colour = ctl_row_colour(row);
	attr_t attributes = (selected ? A_REVERSE : 0) | (colour == COLOUR_ACTS ? A_BOLD : 0);
	int column = 0;

	if (colours && colour == COLOUR_ACTS)
		attributes |= COLOR_PAIR(1);
	else if (colours && colour == COLOUR_HELD)
		attributes |= COLOR_PAIR(2);
	attron(attributes);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++, column += 9)
		put(line, column, "%9s", bytes(sizes[i]));
	put_rate(line, column, 10, row->anon_refault_mpps);
	put_rate(line, column + 10, 10, row->file_refault_mpps);
	put(line, column + 20, "  %s: %s", row->path, row->sentence);
	attroff(attributes);
}

/* A generation as a bar of its share of all: anon as '#', file as '='. */
static void put_bar(int line, const struct seen_gen *gen, uint32_t number, uint64_t all_bytes)
{
	int room = COLS > 50 ? COLS - 50 : 0, column = 40;
	uint64_t anon_bytes = number_or(gen->bytes[LRU_ANON], 0);
	uint64_t file_bytes = number_or(gen->bytes[LRU_FILE], 0);
	int anon = (int)in_proportion((uint64_t)room, min_u64(anon_bytes, all_bytes), all_bytes);
	int file = (int)in_proportion((uint64_t)room, min_u64(file_bytes, all_bytes), all_bytes);

	if (!is_number(gen->age_msec))
		return;
	put(line, 0, "  %-8s %6" PRIu64 " s  %7s + %7s", number == 0 ? "youngest" : "",
	    gen->age_msec / 1000, bytes(gen->bytes[LRU_ANON]), bytes(gen->bytes[LRU_FILE]));
	for (int i = 0; i < anon + file && column < COLS; i++)
		mvaddch(line, column++, i < anon ? '#' : '=');
}

static void put_detail(int line, const struct top_view *view)
{
	const struct ledger_row *row = view->detail;
	uint64_t all_bytes = 0;

	for (int column = 0; column < COLS; column++)
		mvaddch(line, column, ACS_HLINE);
	put(line, 2, " %s ", row->path);
	for (uint32_t g = 0; g < SEEN_GENS; g++)
		for (int type = 0; type < _LRU_TYPE_MAX; type++)
			all_bytes =
				saturating_add(all_bytes, number_or(row->gens[g].bytes[type], 0));
	put(line + 1, 0,
	    is_number(row->gens[0].age_msec)
		    ? "  generations, age, anon + file       # anon  = file"
		    : "  its generations are not known");
	for (uint32_t g = 0; g < SEEN_GENS; g++)
		put_bar(line + 2 + (int)g, &row->gens[g], g, all_bytes);
	for (int i = 0; i < TOP_HISTORY; i++)
		if (view->history[i].usec > 0)
			put(line + 2 + SEEN_GENS + i, 0, "  %5" PRIu64 " s ago: %s",
			    saturating_sub(view->now_usec, view->history[i].usec) / USEC_PER_SEC,
			    view->history[i].text);
}

void top_draw(const struct top_view *view)
{
	int room = LINES - HEAD_LINES - 1, first = 0;
	bool detail = view->detail && room - DETAIL_LINES >= ROWS_LEAST;

	erase();
	put_head(view);
	put_columns(view->order);
	if (detail)
		room -= DETAIL_LINES;
	if ((int)view->selected >= room)
		first = (int)view->selected - room + 1;
	for (int i = 0; i < room && (size_t)(first + i) < view->n; i++)
		put_row(HEAD_LINES + i, &view->rows[first + i],
			(size_t)(first + i) == view->selected);
	if (detail)
		put_detail(HEAD_LINES + room, view);
	attron(A_DIM);
	put(LINES - 1, 0,
	    "q quit  up, down select  sort: n name, c current, w workset, o cold, "
	    "a anon, f file back");
	attroff(A_DIM);
	refresh();
}

/* --- what is done */

static enum top_event read_key(int *ret_by)
{
	int key = getch();

	switch (key) {
	case 'q':
		return TOP_QUIT;
	case KEY_UP:
	case 'k':
		*ret_by = -1;
		return TOP_MOVE;
	case KEY_DOWN:
	case 'j':
		*ret_by = 1;
		return TOP_MOVE;
	case KEY_PPAGE:
		*ret_by = -10;
		return TOP_MOVE;
	case KEY_NPAGE:
		*ret_by = 10;
		return TOP_MOVE;
	default:
		break;
	}
	for (enum top_order by = 0; by < _TOP_ORDER_MAX; by++)
		if (key == columns[by].key) {
			*ret_by = (int)by;
			return TOP_SORT;
		}
	return TOP_NONE;
}

enum top_event top_wait(uint64_t usec, int *ret_by)
{
	struct pollfd terminal = {.fd = STDIN_FILENO, .events = POLLIN};
	struct timespec left = {
		.tv_sec = (time_t)(usec / USEC_PER_SEC),
		.tv_nsec = (long)(usec % USEC_PER_SEC) * 1000,
	};
	sigset_t none;
	int n;

	sigemptyset(&none);
	n = ppoll(&terminal, 1, &left, &none);
	if (ended_by)
		return ended_by == SIGHUP ? TOP_GONE : TOP_QUIT;
	if (n < 0 && errno != EINTR)
		return TOP_GONE;
	/* A terminal that has gone is readable for ever, and has nothing to read. */
	if (n > 0 && (terminal.revents & (POLLHUP | POLLERR | POLLNVAL)))
		return TOP_GONE;
	/* Interrupted: its size has changed, which is read as a key. */
	return read_key(ret_by);
}
