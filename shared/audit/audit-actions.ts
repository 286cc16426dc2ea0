// Every action that the audit log may contain, by resource: the dashboard has a sentence for each
// (gateway/web/admin/audit-log/actions.ts), and does not compile without it.
const VERBS = {
  admins: 'create create-link disable enable invite link reset-password set-report-mail set-role',
  bookables: 'assign create delete edit import set-position set-rules unassign unassign-all update',
  booking_requests: 'approve create decline lapse release withdraw',
  bookings: 'check-in clear create delete move release update',
  buildings: 'create delete set-rules update',
  calendars: 'create delete',
  desk_codes: 'make renew',
  events: 'cancel check-in clear-room create move-room release replace',
  groups: 'create delete set-members update',
  locations: 'create delete set-floor-plan set-rules update',
  people: 'choose create-sign-in-link',
  screens: 'create renew-address revoke update',
  series: 'create delete',
  tokens: 'create revoke rotate',
  users: 'create deactivate edit erase import restore',
  visitors: 'arrive tell-host undo-arrival walk-in',
  waits: 'accept cancel create decline end miss offer release',
  webhooks: 'create delete disable rotate-secret send-again send-failed test update',
} as const
export type AuditResource = keyof typeof VERBS

type Words<Text> = Text extends `${infer First} ${infer Others}` ? First | Words<Others> : Text

/** The verb of an action on one kind of resource: `create` of `admins.create`. */
export type VerbOf<Of extends AuditResource> = Words<(typeof VERBS)[Of]>
export type AuditAction = { [Of in AuditResource]: `${Of}.${VerbOf<Of>}` }[AuditResource]

export const AUDIT_ACTIONS = Object.entries(VERBS).flatMap(([resource, verbs]) =>
  verbs.split(' ').map((verb) => `${resource}.${verb}` as AuditAction),
)

const known: ReadonlySet<string> = new Set(AUDIT_ACTIONS)

/** False for an action that this release does not know. */
export function isAuditAction(action: string): action is AuditAction {
  return known.has(action)
}
