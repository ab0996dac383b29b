/* SPDX-License-Identifier: MIT */
/*
 * cores.c - which engines and machines this program has.
 */
#include "lab/lab.h"

#include "base/parse.h"

#include <string.h>

/* Absent from the thread sanitizer's build, where its hooks would meet another's. */
extern const struct vmasim_core vmasim_core_virtual __attribute__((weak));

const char *const lab_engine_names[2] = {"native", "virtual"};
const char *const lab_mode_names[2] = {[MODE_PROCESSES] = "processes", [MODE_THREADS] = "threads"};
const char *const lab_placement_names[3] = {
	[RUN_CORES] = "cores", [RUN_SMT] = "smt", [RUN_NONE] = "none"};

const struct vmasim_core *lab_core(const char *engine, struct message *msg)
{
	int index = parse_choice("--engine", engine, lab_engine_names,
				 ARRAY_SIZE(lab_engine_names), msg);

	if (index < 0)
		return NULL;
	if (index == 0)
		return &vmasim_core_native;
	if (&vmasim_core_virtual)
		return &vmasim_core_virtual;
	message_set(msg, -EINVAL,
		    "--engine: 'virtual' is not part of this build (its access hooks can't "
		    "stand beside the thread sanitizer's); allowed: native");
	return NULL;
}

int lab_machine(const struct vmasim_core *core, const char *name, struct machine_desc *out,
		struct message *msg)
{
	const struct machine_desc *found;

	if (!strcmp(name, "host"))
		return core->describe_host(out, msg);
	found = machine_builtin(name, msg);
	if (!found)
		return -EINVAL;
	if (!strcmp(core->engine, "native"))
		return message_set(msg, -EINVAL,
				   "machine '%s' is not this system and the native engine runs on "
				   "nothing else; allowed: host, or --engine=virtual",
				   name);
	*out = *found;
	return 0;
}

int lab_check_workload(const struct vmasim_core *core, const char *name, struct message *msg)
{
	const struct workload_view *view;
	const char *names[64];
	char allowed[512];
	unsigned nr = 0;

	while (nr < ARRAY_SIZE(names) && (view = core->workload_at(nr))) {
		if (!strcmp(view->name, name))
			return 0;
		names[nr++] = view->name;
	}
	parse_join(allowed, sizeof(allowed), names, nr);
	return message_set(msg, -EINVAL, "workload '%s' is unknown; allowed: %s", name, allowed);
}
