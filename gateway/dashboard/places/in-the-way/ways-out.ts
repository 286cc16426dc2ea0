// Before it hurts: whose bookings are in the way of what is blocked, assigned, deleted or closed, and what becomes of them. The
// form is sent first without a choice; where the workers find that anything is in the way, it comes back with one.
import { type WayOut, wayOut } from '../../../../shared/contracts/rules/in-the-way.ts'
import { type Content, type Html, html } from '../../../http/html.ts'
import type { Call } from '../../framework/page.ts'
import { formatInstant } from '../../time/instants.ts'
import type { Fields, Option } from '../../ui/fields.ts'
import { type Column, table } from '../../ui/tables.ts'
import { formatCount, formatNumber } from '../../ui/words.ts'
import { type ClaimInTheWay, countInTheWay, listInTheWay, type Taking } from './queries.ts'

const SHOWN_MAX = 20

export const wayOutField = { in_the_way: wayOut() }

/** What a form without a choice asks for. */
export const askFirst = (chosen: WayOut | undefined): WayOut => chosen ?? 'ask'

const LEAVE = { value: 'leave', label: 'Keep them', hint: 'These bookings stay as they are.' }
const OPTIONS: Option[] = [
  {
    value: 'move',
    label: 'Move them',
    hint: 'To what is free and of the same type in this building, the nearest first. Nothing is changed if one of them finds no place.',
  },
  { value: 'move-or-release', label: 'Move them, and release those that find no place' },
  {
    value: 'release',
    label: 'Release them',
    hint: 'Bookings that run now end now, the others are deleted. Rooms are taken from their events.',
  },
]

const DONE: Partial<Record<WayOut, string>> = {
  move: ' What was in the way was moved.',
  'move-or-release': ' What was in the way was moved or released.',
  release: ' What was in the way was released.',
}

/** Goes on with the notice of what was done. */
export const describeWayOut = (chosen: WayOut | undefined): string => (chosen && DONE[chosen]) ?? ''

/** From now on. */
export const always = ({ now }: Call) => [{ from: now, to: null }]

/** Whether a form has come back because something is in the way. */
export function isInTheWay({ refusedForm }: Call, action: string): boolean {
  return refusedForm?.action === action && refusedForm.code === 'in_use'
}

/** Nothing where nothing is in the way. */
export async function showWaysOut(
  call: Call,
  taking: Taking,
  { canLeave }: { canLeave: boolean },
): Promise<((fields: Fields) => Content) | undefined> {
  const { now } = call
  const [number, claims] = await Promise.all([
    countInTheWay(call.services.primary, taking, now),
    listInTheWay(call.services.primary, taking, { now, limit: SHOWN_MAX }),
  ])
  if (number === 0) return undefined
  return (fields) => html`<h3>In the way: ${formatCount(number, 'booking')}</h3>
${showClaims(call, claims)}
${number > claims.length && html`<p class="soft">And ${formatNumber(number - claims.length)} more.</p>`}
${fields.radios({
  name: 'in_the_way',
  label: 'What becomes of them',
  required: true,
  options: canLeave ? [LEAVE, ...OPTIONS] : OPTIONS,
})}`
}

function showClaims(call: Call, claims: ClaimInTheWay[]): Html {
  const columns: Column<ClaimInTheWay>[] = [
    {
      label: 'Who',
      isHead: true,
      show: ({ id, eventId, who }) =>
        html`<a href="${call.link(eventId === null ? `/bookings/${id}` : `/events/${eventId}`)}">${who}</a>`,
    },
    { label: 'What', show: ({ bookable }) => bookable },
    { label: 'From', show: ({ from, zone }) => formatInstant(from, zone) },
    { label: 'Until', show: ({ to, zone }) => (to === null ? 'no end' : formatInstant(to, zone)) },
  ]
  return table('In the way', columns, claims, '')
}
