// Who made a change, as the audit log and the outbox store it.
import type { Actor } from '../jobs/jobs.ts'

/**
 * Who made the change, by which request, and in which attempt. A caller may choose the id of the request, but Berth makes
 * the id of the attempt, so only the attempt shows what was done together. It is null where nothing is audited.
 */
export type Author = { actor: Actor; requestId: string; attempt: string | null }
