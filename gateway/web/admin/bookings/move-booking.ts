// The page that moves a booking to another desk, room or parking spot that is free for the whole time, and
// the page that cancels a booking.

import { message } from '../../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../../shared/messages/refusal.ts'
import { object, queryId } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { sentence, t, tHtml } from '../../locales/translate.ts'
import { backQuery, findBackPath } from '../../pages/page/back.ts'
import type { Call } from '../../pages/page/page.ts'
import { listFloors, showFloorFilter, showTagsFilter } from '../../pages/search/choices.ts'
import { formatInstant } from '../../pages/time/instants.ts'
import { splitTags } from '../../pages/ui/bookables.ts'
import { form, showFilterBar } from '../../pages/ui/forms.ts'
import { showCard, showLinkOrText } from '../../pages/ui/parts.ts'
import {
  hasAnyBookingRules,
  overridingField,
  showOverrideRulesField,
} from '../affected-bookings/affected-bookings-form.ts'
import { createNoticeWithAffected } from '../affected-bookings/affected-people.ts'
import { bookingPages, isOver } from './booking.ts'
import { explainConflicts } from './conflicts.ts'
import { type FreeBookable, freeBookablesQuery, listFreeBookables, searchByName } from './free-bookables.ts'
import { type BookingDetails, type BookingRow, findBooking } from './queries.ts'

const OFFERED_MAX = 12
// An end for bookings that have no end: an open-ended booking moves permanently, so the new bookable must
// have no bookings from then on.
const OPEN_END = '9999-12-31T00:00:00.000000Z'

const moveForm = object({ bookable_id: queryId(), ...overridingField })
const { building: _, type: __, all: ___, ...moveQuery } = freeBookablesQuery
const query = object({ ...moveQuery, ...backQuery })
type MoveQuery = typeof query.__outputType

export const moveBookingPage = bookingPages.page({
  path: '/move',
  title: sentence`Move booking`,
  query,
  actions: (action) => ({
    move: action(moveForm, async (call) => {
      const { id, from, to } = await bookingPages.require(call)
      const { bookable_id, overrides_rules } = call.form
      // Shows the error above the form, because the list of bookables may be longer than the screen.
      if (bookable_id === undefined)
        throw invalidFields({ where: [message`Choose where to move the booking.`] })
      const requested = { bookableIds: [bookable_id], from, to }
      const { data } = await explainConflicts(call, requested, { booking: id }, () =>
        call.dispatch('bookings.move', { id, bookable_id, overrides_rules }),
      )
      const notice = await createNoticeWithAffected(call, t`Moved to ${data.bookable.name}.`)
      return { redirectTo: bookingPages.address(call), ...notice }
    }),
  }),
  async show(call, found) {
    if (isOver(found, call.now)) {
      throw new Refusal('booking_ended', message`This booking is over and can no longer be moved.`)
    }
    const [floors, free] = await Promise.all([
      listFloors(call.reads, found.buildingId),
      listOfferedBookables(call, found, call.query),
    ])
    const ids = free.map(({ id }) => id)
    const offered = showOfferedBookables(call, free, await hasAnyBookingRules(call.reads, ids))
    return {
      title: t`Move the booking of ${found.user}`,
      lead: describeCurrentPlace(found),
      content: html`${showFilterBar(
        call,
        (fields) => [
          showFloorFilter(fields, floors),
          showTagsFilter(fields),
          fields.search('place', t`Name`),
        ],
        null,
        t`Show free`,
      )}
${showCard(t`Free for the whole time`, offered, 'free')}`,
    }
  },
})

export function describeCurrentPlace({ bookable, location, from, to, zone }: BookingRow): string {
  const start = formatInstant(from, zone)
  return to === null
    ? t`Currently ${bookable}, ${location}, from ${start}, open-ended. The time does not change.`
    : t`Currently ${bookable}, ${location}, from ${start} to ${formatInstant(to, zone)}. The time does not change.`
}

/** Lists free bookables of the same type that the person may book, with the nearest first. */
async function listOfferedBookables(
  call: Call,
  found: BookingDetails,
  query: MoveQuery,
): Promise<FreeBookable[]> {
  const span = { from: found.from < call.now ? call.now : found.from, to: found.to ?? OPEN_END }
  const { location, place, tags } = query
  const search = {
    building: found.buildingId,
    location,
    type: found.type,
    tags: splitTags(tags),
    user: found.isActive ? found.userId : undefined,
  }
  const near = found.bookableId
  const listed =
    place === undefined
      ? await listFreeBookables(call.reads, { ...search, near }, span, OFFERED_MAX)
      : await searchByName(call.reads, place, search, span)
  return listed.found.filter(({ id, isFree }) => isFree && id !== found.bookableId)
}

function showOfferedBookables(call: Call<{ id: number }>, free: FreeBookable[], hasRules: boolean): Html {
  const cancel = bookingPages.address(call)
  if (free.length === 0) {
    return html`<p>${tHtml`Nothing suitable is free at that time. Try another floor, or ${showLinkOrText(cancel, t`change its times`)}.`}</p>`
  }
  const options = free.map(({ id, name, location, tags }) => ({
    value: id,
    label: name,
    hint: [location, ...tags].join(', '),
  }))
  return form(call, { action: 'move', submit: t`Move booking`, cancel }, (fields) => [
    fields.radios('bookable_id', t`Move to`, { options, required: true }),
    showOverrideRulesField(fields, hasRules),
  ])
}

export const cancelBookingPage = bookingPages.form({
  path: '/cancel',
  title: sentence`Cancel booking`,
  action: 'cancel',
  tone: 'danger',
  heading: ({ bookable }) => t`Cancel the booking of ${bookable}?`,
  intro: (found) =>
    `${describeBookedTime(found)} ${t`Others can book this time again. The audit log keeps a record.`}`,
  async act(call) {
    // If the form is sent twice, the second request finds no booking, and succeeds like the first.
    const found = await findBooking(call.reads, call.params.id)
    if (found && isOver(found, call.now)) {
      throw new Refusal('booking_ended', message`This booking is over and can no longer be cancelled.`)
    }
    await call.dispatch('bookings.delete', { id: call.params.id })
    const notice = found
      ? t`Booking of ${found.bookable} for ${found.user} cancelled.`
      : t`Booking cancelled.`
    const redirectTo = call.link(findBackPath(call, '/bookings'))
    return { redirectTo, ...(await createNoticeWithAffected(call, notice, { isNamed: true })) }
  },
})

function describeBookedTime({ user, from, to, zone, location }: BookingRow): string {
  const start = formatInstant(from, zone)
  return to === null
    ? t`Booked by ${user} from ${start}, open-ended (${location}).`
    : t`Booked by ${user} from ${start} to ${formatInstant(to, zone)} (${location}).`
}
