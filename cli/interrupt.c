/* SPDX-License-Identifier: MIT */
/*
 * interrupt.c - see interrupt.h. The flag is the one mutable global of the
 * command: a signal handler has nowhere else to write.
 */
#include "cli/interrupt.h"

#include "cli/cli.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile int interrupts;

static void on_signal(int number)
{
	(void)number;
	if (interrupts)
		_exit(EXIT_INTERRUPTED);
	interrupts = 1;
}

const volatile int *interrupt_catch(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	return &interrupts;
}
