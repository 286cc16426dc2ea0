// The check-in card on a booking's page: a button while check-in is open, and the state before and after.
import { type Content, type Html, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { t, tHtml } from '../locales/translate.ts'
import { showInstant, showTime } from '../time/instants.ts'
import { form } from '../ui/forms.ts'
import type { BookingRow } from './queries.ts'

type Asked = Pick<BookingRow, 'checkInFrom' | 'checkInUntil' | 'checkedInAt' | 'to' | 'zone' | 'user'>

/** Shows nothing if the booking needs no check-in. */
export function checkInCard(call: Call, booking: Asked): Content {
  const { checkInFrom, checkedInAt } = booking
  if (checkInFrom === null && checkedInAt === null) return null
  return html`<section class="card" id="check-in" aria-labelledby="check-in-head"><h2 id="check-in-head">${t`Check-in`}</h2>
${showState(call, booking)}</section>`
}

function showState(call: Call, { checkInFrom, checkInUntil, checkedInAt, to, zone, user }: Asked): Html {
  if (checkedInAt !== null) return html`<p>${tHtml`Checked in at ${showInstant(checkedInAt, zone)}.`}</p>`
  const until =
    checkInUntil === null || (to !== null && to <= checkInUntil)
      ? ''
      : html` ${tHtml`Without a check-in by ${showTime(checkInUntil, zone)}, the rest of the booking is released.`}`
  if (checkInFrom !== null && call.now < checkInFrom) {
    return html`<p>${tHtml`Check-in opens at ${showInstant(checkInFrom, zone)}.`}${until}</p>`
  }
  return html`<p>${t`${user} has not checked in yet.`}${until}</p>
${form(call, { action: 'check-in', submit: t`Check in`, tone: 'quiet' })}`
}
