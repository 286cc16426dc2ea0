// Every action that the audit log may contain, by resource. The dashboard must have a sentence for each action
// (gateway/web/admin/audit-log/actions.ts), or its code does not compile.
const AUDIT_VERBS = {
  absences: 'create delete',
  admins: 'create create-link disable enable invite link reset-password set-report-mail set-role',
  bookables:
    'assign create delete edit import link-calendar set-position set-rules unassign unassign-all unlink-calendar update',
  booking_requests: 'approve create decline lapse release reopen withdraw',
  bookings: 'check-in clear create delete move release release-away release-day update',
  buildings: 'create delete set-rules update',
  calendars: 'create delete',
  desk_codes: 'make renew',
  events: 'answer cancel check-in clear-room create move-room release replace',
  groups: 'create delete set-leads set-members update',
  loans: 'create delete',
  locations: 'create delete set-floor-plan set-rules update',
  people: 'choose create-sign-in-link set-picture',
  screens: 'create renew-address revoke update',
  series: 'create delete',
  team_days: 'create delete',
  tokens: 'create revoke rotate',
  users: 'create deactivate edit erase import restore',
  visitors: 'arrive tell-host undo-arrival walk-in',
  waits: 'accept cancel create decline end miss offer release',
  webhooks: 'create delete disable rotate-secret send-again send-failed test update',
} as const
export type AuditResource = keyof typeof AUDIT_VERBS

type SplitWords<Text> = Text extends `${infer First} ${infer Others}` ? First | SplitWords<Others> : Text

/** The verb of an action on one type of resource, such as `create` in `admins.create`. */
export type VerbOf<Of extends AuditResource> = SplitWords<(typeof AUDIT_VERBS)[Of]>
export type AuditAction = { [Of in AuditResource]: `${Of}.${VerbOf<Of>}` }[AuditResource]

export const AUDIT_ACTIONS = Object.entries(AUDIT_VERBS).flatMap(([resource, verbs]) =>
  verbs.split(' ').map((verb) => `${resource}.${verb}` as AuditAction),
)

const knownActions: ReadonlySet<string> = new Set(AUDIT_ACTIONS)

/** Returns false for an action that only another release knows. */
export function isAuditAction(action: string): action is AuditAction {
  return knownActions.has(action)
}
