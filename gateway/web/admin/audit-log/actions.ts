// The names of the audit log's actions, the templates of an entry (described-actions.ts), and the options of the search.
import {
  type AuditAction,
  type AuditResource,
  isAuditAction,
} from '../../../../shared/audit/audit-actions.ts'
import { currentLocale, type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import type { Option } from '../../pages/ui/fields.ts'
import type { Templates } from './choose-templates.ts'
import { AUDIT_ACTIONS } from './described-actions.ts'
import type { AuditArgs } from './things.ts'

const RESOURCE_NAMES: Record<AuditResource, Sentence> = {
  absences: sentence`Absences`,
  admins: sentence`Administrators`,
  bookables: sentence`Desks and rooms`,
  bookings: sentence`Bookings`,
  booking_requests: sentence`Booking requests`,
  buildings: sentence`Buildings`,
  calendars: sentence`Calendar addresses`,
  desk_codes: sentence`QR codes`,
  events: sentence`Meetings`,
  groups: sentence`Groups`,
  loans: sentence`Loans`,
  locations: sentence`Floors`,
  people: sentence`People’s own pages`,
  screens: sentence`Screens`,
  series: sentence`Series`,
  team_days: sentence`Team days`,
  tokens: sentence`API tokens`,
  users: sentence`People`,
  visitors: sentence`Visitors`,
  waits: sentence`Waitlist`,
  webhooks: sentence`Webhooks`,
}
/** Returns the name of an action. An action of another release is shown by its code. */
export const nameAction = (action: string): string =>
  isAuditAction(action) ? translate(AUDIT_ACTIONS[action][0]) : action

/** Finds the templates of an entry, in the order in which they are tried. */
export function findTemplates(action: AuditAction, args: AuditArgs): Templates {
  const [, ...rest] = AUDIT_ACTIONS[action]
  return rest.flatMap((each) => (typeof each === 'function' ? each(args) : each))
}

/** Returns the options of the search: the actions that occur in the log, grouped below the “anything” option
 * of their resource, and the chosen action. */
export function listActionOptions(known: string[], chosen: string | undefined): Option[] {
  const wanted =
    chosen === undefined || known.some((action) => isMatchingAction(action, chosen)) ? [] : [chosen]
  const actions = [...known, ...wanted]
  const resources = [...new Set(actions.map((action) => action.split('.')[0] ?? ''))]
  return resources
    .map((resource) => ({ resource, group: nameResource(resource) }))
    .sort((one, other) => one.group.localeCompare(other.group, currentLocale()))
    .flatMap(({ resource, group }) => [
      { group, value: resource, label: t`${group}: anything` },
      ...actions
        .filter((action) => action.startsWith(`${resource}.`))
        .map((value) => ({ group, value, label: nameAction(value) })),
    ])
}

/** Returns whether the action matches the wanted one. The name of a resource matches all its actions. */
export const isMatchingAction = (action: string, what: string): boolean =>
  action === what || action.startsWith(`${what}.`)

const nameResource = (resource: string) =>
  Object.hasOwn(RESOURCE_NAMES, resource) ? translate(RESOURCE_NAMES[resource as AuditResource]) : resource
