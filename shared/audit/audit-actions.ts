// Every action that the audit log may contain: the dashboard has a sentence for each
// (gateway/dashboard/audit-log/sentences.ts), and does not compile without it.
export const AUDIT_ACTIONS = [
  'admins.create',
  'admins.create-link',
  'admins.disable',
  'admins.enable',
  'admins.invite',
  'admins.link',
  'admins.reset-password',
  'admins.set-role',
  'bookables.assign',
  'bookables.create',
  'bookables.delete',
  'bookables.edit',
  'bookables.import',
  'bookables.set-position',
  'bookables.set-rules',
  'bookables.unassign',
  'bookables.unassign-all',
  'bookables.update',
  'bookings.check-in',
  'bookings.clear',
  'bookings.create',
  'bookings.delete',
  'bookings.move',
  'bookings.release',
  'bookings.update',
  'buildings.create',
  'buildings.delete',
  'buildings.set-rules',
  'buildings.update',
  'calendars.create',
  'calendars.delete',
  'events.cancel',
  'events.check-in',
  'events.clear-room',
  'events.create',
  'events.move-room',
  'events.release',
  'events.replace',
  'locations.create',
  'locations.delete',
  'locations.set-floor-plan',
  'locations.set-rules',
  'locations.update',
  'series.create',
  'series.delete',
  'tokens.create',
  'tokens.revoke',
  'tokens.rotate',
  'users.create',
  'users.deactivate',
  'users.edit',
  'users.erase',
  'users.import',
  'users.restore',
  'webhooks.create',
  'webhooks.delete',
  'webhooks.disable',
  'webhooks.rotate-secret',
  'webhooks.send-again',
  'webhooks.send-failed',
  'webhooks.test',
  'webhooks.update',
] as const

export type AuditAction = (typeof AUDIT_ACTIONS)[number]

const known: ReadonlySet<string> = new Set(AUDIT_ACTIONS)

/** False for an action that only a newer or older release has. */
export function isAuditAction(action: string): action is AuditAction {
  return known.has(action)
}

/** The verb of an action on one kind of resource: `create` of `admins.create`. */
export type VerbOf<Resource extends string, Action = AuditAction> = Action extends `${Resource}.${infer Verb}`
  ? Verb
  : never
