// What the audit log says of administrators, tokens, calendar addresses and webhooks.
import { isRole, type Role } from '../../../shared/contracts/administrators/roles.ts'
import type { Html } from '../../http/html.ts'
import {
  formatMessage,
  plural,
  type Sentence,
  type SentencePart,
  sentence,
  t,
  tHtml,
  translate,
} from '../language/translate.ts'
import { showName, showNamed, showThing, type Told } from './sentence-parts.ts'

const ROLES: Record<Role, Sentence> = {
  reader: sentence`reader`,
  'front-desk': sentence`front desk`,
  administrator: sentence`administrator`,
  owner: sentence`owner`,
}

const roleOf = ({ role }: Record<string, unknown>): string | undefined =>
  typeof role === 'string' && isRole(role) ? translate(ROLES[role]) : undefined

export function sayAdminCreated(told: Told): Html {
  const role = roleOf(told.after)
  return role === undefined
    ? tHtml`created the administrator ${showName(told)}`
    : tHtml`created the administrator ${showName(told)} as ${role}`
}

export function sayAdminInvited(told: Told): Html {
  const role = roleOf(told.after)
  return role === undefined
    ? tHtml`invited the administrator ${showName(told)}`
    : tHtml`invited ${showThing(told)} as ${role}`
}

export function sayRole(told: Told): Html {
  const nameRole = (row: Told['before']) => roleOf(row) ?? t`none`
  return tHtml`changed the role of ${showThing(told)} from ${nameRole(told.before)} to ${nameRole(told.after)}`
}

const CALENDARS_OF = { user_id: 'users', bookable_id: 'bookables', location_id: 'locations' }

function findCalendarOf({ said, before, after }: Told): SentencePart | undefined {
  const row: Record<string, unknown> = { ...before, ...after }
  const [of] = Object.entries(CALENDARS_OF).filter(([field]) => (row[field] ?? null) !== null)
  return of && showNamed(said, of[1], row[of[0]])
}

export function sayCalendarCreated(told: Told): Html {
  const of = findCalendarOf(told)
  return of === undefined ? tHtml`created a calendar address` : tHtml`created a calendar address of ${of}`
}

export function sayCalendarTakenBack(told: Told): Html {
  const of = findCalendarOf(told)
  return of === undefined ? tHtml`took back a calendar address` : tHtml`took back a calendar address of ${of}`
}

export function sayRotated(told: Told): Html {
  const hours = Math.round(Number(told.after['overlapSeconds'] ?? 0) / 360) / 10
  if (!(hours > 0)) return tHtml`created a new secret for the token ${showName(told)}`
  const more = plural(hours, '# hour more', '# hours more')
  return tHtml`created a new secret for the token ${showName(told)}; the old one works for ${more}`
}

export function sayWebhookDisabled(told: Told): Html {
  const reason = told.after['reason']
  if (typeof reason !== 'string') return tHtml`switched off the webhook ${showName(told)}`
  const why = formatMessage({ text: reason }).replace(/\.$/, '')
  return tHtml`switched off the webhook ${showName(told)}: ${why}`
}

export function sayFailedSentAgain(told: Told): Html {
  const number = told.after['deliveries']
  if (typeof number !== 'number') return tHtml`sent what failed again to the webhook ${showName(told)}`
  const failed = plural(number, '# failed delivery', '# failed deliveries')
  return tHtml`sent ${failed} again to the webhook ${showName(told)}`
}
