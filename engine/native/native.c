/* SPDX-License-Identifier: MIT */
/*
 * native.c - the native engine: name, clock, and threads becoming CPUs.
 */
#include "engine/native/private.h"
#include "engine/native/qsbr.h"

#include <stdlib.h>
#include <time.h>

_Thread_local struct cpu *engine_current;

const char *engine_name(void)
{
	return "native";
}

u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

u64 engine_charges(void)
{
	return 0;
}

void engine_watch_strays(bool on)
{
	(void)on;
}

u64 engine_strays(void)
{
	return 0;
}

int engine_machine_init(struct machine *machine, struct message *msg)
{
	if (!machine->desc.is_host)
		return message_set(msg, -EINVAL,
				   "machine '%s' is not this system: the native engine runs on "
				   "'host' only, use --engine=virtual for others",
				   machine->desc.name);
	machine->private = calloc(1, sizeof(*machine->private));
	if (!machine->private)
		return message_set(msg, -ENOMEM, "no memory for a machine");
	machine->private->tick_ns = 1000000000ull / machine->desc.hz;
	if (gp_thread_start(machine->private)) {
		free(machine->private);
		return message_set(msg, -EAGAIN, "can't start the grace-period thread");
	}
	return 0;
}

void engine_machine_exit(struct machine *machine)
{
	gp_thread_stop(machine->private);
	topo_unload(machine);
	free(machine->private);
}

void engine_attach(struct cpu *cpu)
{
	vm_assert(!engine_current);
	engine_current = cpu;
	qsbr_register();
}

void engine_detach(void)
{
	qsbr_unregister();
	engine_current = NULL;
}
