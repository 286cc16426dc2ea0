// The page that moves a booking to another desk, room or parking spot that is free for the whole time.

import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { object, pathId, queryId, required } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../http/html.ts'
import { haveRules, overridingField, showOverriding } from '../affected-bookings/overriding.ts'
import { backPath, backQuery, keepBack, type Returning } from '../kit/back.ts'
import { type ActionCall, type Call, page } from '../kit/page.ts'
import { sentence, t, tHtml } from '../locales/translate.ts'
import { formatInstant } from '../time/instants.ts'
import { splitTags } from '../ui/bookables.ts'
import { form, searchForm } from '../ui/forms.ts'
import { showLinkOrText } from '../ui/links.ts'
import { isOver, requireBooking } from './booking.ts'
import { explainConflicts } from './conflicts.ts'
import { type FreeBookable, freeQuery, listFree, searchByName } from './free-bookables.ts'
import { type BookingDetails, listFloors, missingBooking } from './queries.ts'

const OFFERED = 12
// An open-ended booking moves for good: the new bookable must have no bookings from then on.
const WITHOUT_END = '9999-12-31T00:00:00.000000Z'

const moveForm = object({ bookable_id: required(queryId()), ...overridingField })
const { building: _, type: __, all: ___, ...moveQuery } = freeQuery
const query = object({ ...moveQuery, ...backQuery })
type Query = typeof query.__outputType

export const moveBooking = page({
  path: '/bookings/{id}/move',
  title: sentence`Move booking`,
  section: 'Bookings',
  readers: 'front-desk',
  writers: 'front-desk',
  params: object({ id: pathId() }),
  query,
  missing: missingBooking,
  actions: (action) => ({
    move: action(moveForm, async (call) => {
      const { id } = call.params
      const { data } = await move(call, call.form, await requireBooking(call))
      return {
        redirectTo: call.link(keepBack(call, `/bookings/${id}`)),
        notice: t`Moved to ${data.bookable.name}.`,
      }
    }),
  }),
  async show(call) {
    const found = await requireBooking(call)
    if (isOver(found, call.now)) {
      throw new Refusal('booking_ended', message`This booking is over and can no longer be moved.`)
    }
    const { id, bookable, user, buildingId } = found
    const [floors, free] = await Promise.all([
      listFloors(call.reads, buildingId),
      listOffered(call, found, call.query),
    ])
    const hasRules = await haveRules(
      call.reads,
      free.map((each) => each.id),
    )
    return {
      title: t`Move the booking of ${user}`,
      breadcrumbs: [
        [t`Bookings`, backPath(call, '/bookings')],
        [t`${bookable} for ${user}`, keepBack(call, `/bookings/${id}`)],
      ],
      lead: describe(found),
      content: html`<div class="card search">${searchForm(call, t`Show free`, (fields) => [
        fields.select({
          name: 'location',
          label: t`Floor`,
          value: call.query.location,
          options: [
            { value: '', label: t`Any` },
            ...floors.map((each) => ({ value: each.id, label: each.name })),
          ],
        }),
        fields.text({
          name: 'tags',
          label: t`Tags`,
          value: call.query.tags,
          placeholder: t`window, quiet`,
          maxlength: 1_000,
        }),
        fields.text({
          name: 'place',
          label: t`Name`,
          type: 'search',
          value: call.query.place,
          maxlength: 255,
        }),
      ])}</div>
<section class="card" aria-labelledby="free"><h2 id="free">${t`Free for all of that time`}</h2>
${showOffered(call, found, free, hasRules)}</section>`,
    }
  },
})

function describe({ bookable, location, from, to, zone }: BookingDetails): string {
  const start = formatInstant(from, zone)
  return to === null
    ? t`Currently ${bookable}, ${location}, from ${start}, open-ended. The time does not change.`
    : t`Currently ${bookable}, ${location}, from ${start}, to ${formatInstant(to, zone)}. The time does not change.`
}

function move(
  call: ActionCall,
  { bookable_id, overrides_rules }: typeof moveForm.__outputType,
  found: BookingDetails,
) {
  const { id, from, to } = found
  return explainConflicts(call, { bookableIds: [bookable_id], from, to }, { booking: id }, () =>
    call.dispatch('bookings.move', { id, bookable_id, overrides_rules }),
  )
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
      ? await listFree(call.reads, { ...search, near }, span, { limit: OFFERED })
      : await searchByName(call.reads, place, search, span)
  return listed.found.filter(({ id, isFree }) => isFree && id !== found.bookableId)
}

function showOffered(call: Returning, found: BookingDetails, free: FreeBookable[], hasRules: boolean): Html {
  const cancel = call.link(keepBack(call, `/bookings/${found.id}`))
  if (free.length === 0) {
    return html`<p>${tHtml`Nothing suitable is free at that time. Try another floor, or ${showLinkOrText(cancel, t`change its times`)}.`}</p>`
  }
  const options = free.map(({ id, name, location, tags }) => ({
    value: id,
    label: name,
    hint: [location, ...tags].join(', '),
  }))
  return form(call, { action: 'move', submit: t`Move booking`, cancel }, (fields) => [
    fields.radios({
      name: 'bookable_id',
      label: t`Move to`,
      options,
      required: true,
    }),
    showOverriding(fields, hasRules),
  ])
}
