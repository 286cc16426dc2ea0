// The pages that move a booking to another desk, room or parking spot that is free for the whole time, and cancel
// it.

import { message } from '../../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../../shared/messages/refusal.ts'
import { object, queryId } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { sentence, t, tHtml } from '../../locales/translate.ts'
import { backPath, backQuery } from '../../pages/page/back.ts'
import type { Call } from '../../pages/page/page.ts'
import { floorFilter, listFloors, tagsFilter } from '../../pages/search/choices.ts'
import { formatInstant } from '../../pages/time/instants.ts'
import { splitTags } from '../../pages/ui/bookables.ts'
import { filterBar, form } from '../../pages/ui/forms.ts'
import { card, showLinkOrText } from '../../pages/ui/parts.ts'
import { haveRules, overridingField, showOverriding } from '../affected-bookings/affected-bookings-form.ts'
import { noticeOf } from '../affected-bookings/affected-people.ts'
import { bookingPages, isOver } from './booking.ts'
import { explainConflicts } from './conflicts.ts'
import { type FreeBookable, freeQuery, listFree, searchByName } from './free-bookables.ts'
import { type BookingDetails, type BookingRow, findBooking } from './queries.ts'

const OFFERED = 12
// An open-ended booking moves for good: the new bookable must have no bookings from then on.
const WITHOUT_END = '9999-12-31T00:00:00.000000Z'

const moveForm = object({ bookable_id: queryId(), ...overridingField })
const { building: _, type: __, all: ___, ...moveQuery } = freeQuery
const query = object({ ...moveQuery, ...backQuery })
type Query = typeof query.__outputType

export const moveBooking = bookingPages.page({
  path: '/move',
  title: sentence`Move booking`,
  query,
  actions: (action) => ({
    move: action(moveForm, async (call) => {
      const { id, from, to } = await bookingPages.require(call)
      const { bookable_id, overrides_rules } = call.form
      // Shown above the form, not at the field, because the list in the field may be longer than the screen.
      if (bookable_id === undefined) throw invalid({ where: [message`Choose where to move it.`] })
      const requested = { bookableIds: [bookable_id], from, to }
      const { data } = await explainConflicts(call, requested, { booking: id }, () =>
        call.dispatch('bookings.move', { id, bookable_id, overrides_rules }),
      )
      const told = await noticeOf(call, t`Moved to ${data.bookable.name}.`)
      return { redirectTo: bookingPages.address(call), ...told }
    }),
  }),
  async show(call, found) {
    if (isOver(found, call.now)) {
      throw new Refusal('booking_ended', message`This booking is over and can no longer be moved.`)
    }
    const [floors, free] = await Promise.all([
      listFloors(call.reads, found.buildingId),
      listOffered(call, found, call.query),
    ])
    const ids = free.map(({ id }) => id)
    const offered = showOffered(call, free, await haveRules(call.reads, ids))
    return {
      title: t`Move the booking of ${found.user}`,
      lead: describeCurrent(found),
      content: html`${filterBar(
        call,
        (fields) => [floorFilter(fields, floors), tagsFilter(fields), fields.search('place', t`Name`)],
        null,
        t`Show free`,
      )}
${card(t`Free for all of that time`, offered, 'free')}`,
    }
  },
})

export function describeCurrent({ bookable, location, from, to, zone }: BookingRow): string {
  const start = formatInstant(from, zone)
  return to === null
    ? t`Currently ${bookable}, ${location}, from ${start}, open-ended. The time does not change.`
    : t`Currently ${bookable}, ${location}, from ${start}, to ${formatInstant(to, zone)}. The time does not change.`
}

/** Lists free bookables of the same type that the person may book, the nearest first. */
async function listOffered(call: Call, found: BookingDetails, query: Query): Promise<FreeBookable[]> {
  const span = { from: found.from < call.now ? call.now : found.from, to: found.to ?? WITHOUT_END }
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
      ? await listFree(call.reads, { ...search, near }, span, OFFERED)
      : await searchByName(call.reads, place, search, span)
  return listed.found.filter(({ id, isFree }) => isFree && id !== found.bookableId)
}

function showOffered(call: Call<{ id: number }>, free: FreeBookable[], hasRules: boolean): Html {
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
    showOverriding(fields, hasRules),
  ])
}

export const cancelBooking = bookingPages.form({
  path: '/cancel',
  title: sentence`Cancel booking`,
  action: 'cancel',
  tone: 'danger',
  heading: ({ bookable }) => t`Cancel the booking of ${bookable}?`,
  intro: (found) =>
    `${describeBooked(found)} ${t`Others can book this time again. The audit log keeps a record.`}`,
  async act(call) {
    // If the form is sent twice, the second request finds no booking. It succeeds like the first.
    const found = await findBooking(call.reads, call.params.id)
    if (found && isOver(found, call.now)) {
      throw new Refusal('booking_ended', message`This booking is over and can no longer be cancelled.`)
    }
    await call.dispatch('bookings.delete', { id: call.params.id })
    const notice = found
      ? t`Booking of ${found.bookable} for ${found.user} cancelled.`
      : t`Booking cancelled.`
    const redirectTo = call.link(backPath(call, '/bookings'))
    return { redirectTo, ...(await noticeOf(call, notice, { isNamed: true })) }
  },
})

function describeBooked({ user, from, to, zone, location }: BookingRow): string {
  const start = formatInstant(from, zone)
  return to === null
    ? t`Booked by ${user} from ${start}, open-ended (${location}).`
    : t`Booked by ${user} from ${start}, to ${formatInstant(to, zone)} (${location}).`
}
