// A meeting: its rooms and who is invited. Its organizer invites more, removes somebody, and cancels it. A room that was
// booked alone becomes a meeting with the first person who is invited.
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { object, pathId, queryId, required, text } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../html/html.ts'
import { plural, sentence, t } from '../locales/translate.ts'
import { type ActionCall, type Call, page } from '../pages/page/page.ts'
import { formatPlace } from '../pages/ui/bookables.ts'
import { form } from '../pages/ui/forms.ts'
import { card } from '../pages/ui/parts.ts'
import {
  attendeesOf,
  findInvited,
  findTyped,
  invitedQuery,
  inviteForm,
  ownTitle,
  showInvite,
} from './book/invited.ts'
import { listFreeSeats } from './book/seats.ts'
import { findOwnBooking, findOwnMeeting, listOwnBookings, type OwnMeeting } from './own-bookings.ts'
import {
  explainLost,
  formatMeetingSpan,
  formatRooms,
  formatSpan,
  listUnusable,
  mayInvite,
} from './show-bookings.ts'

const NO_BOOKING = message`You have no booking of a room under this number to which you could invite people.`
const MISSING = message`There is no such meeting, or you do not take part in it.`

type Called = Call<{ id: number }, { person?: string; invited?: string }>

/** For a room that the person has booked. */
export const invite = page({
  path: '/bookings/{id}/invite',
  title: sentence`Invite people`,
  section: 'My day',
  params: object({ id: pathId() }),
  query: object(invitedQuery),
  missing: NO_BOOKING,
  actions: (action) => ({
    invite: action(inviteForm, async (call) => {
      const { who } = call.form
      const emails = await findTyped(call, who)
      if (!emails) return { redirectTo: call.linkHere({ person: who }) }
      const { data } = await call.dispatch('events.create-from-booking', {
        booking_id: call.params.id,
        name: ownTitle(call),
        attendees: attendeesOf(await findInvited(call.reads, emails)),
      })
      return { redirectTo: call.link(`/meetings/${data.id}`), notice: t`Invited.` }
    }),
  }),
  async show(call) {
    const booking = await findOwnBooking(call, call.params.id)
    if (!booking || !mayInvite(booking)) throw new Refusal('not_found', NO_BOOKING)
    const { bookable, location, building, zone } = booking
    return {
      lead: `${bookable}, ${location}, ${building} · ${formatSpan(booking, zone, call.now)}`,
      content: html`<div class="card">${await showInvite(call, t`Invite`)}</div>`,
    }
  },
})

export const meeting = page({
  path: '/meetings/{id}',
  title: sentence`Meeting`,
  section: 'My day',
  params: object({ id: pathId() }),
  query: object(invitedQuery),
  missing: MISSING,
  actions: (action) => ({
    invite: action(inviteForm, async (call) => {
      const { who } = call.form
      const emails = await findTyped(call, who)
      if (!emails) return { redirectTo: call.linkHere({ person: who }) }
      const add = attendeesOf(await findInvited(call.reads, emails))
      return change(call, { add }, t`Invited.`)
    }),
    'take-room': action(object({ room: required(queryId()) }), (call) =>
      change(call, { add: [{ type: 'bookable', id: call.form.room }] }, t`The meeting has a room again.`),
    ),
    rename: action(object({ name: required(text({ max: 255, min: 1 })) }), async (call) => {
      await call.dispatch('events.update', { id: call.params.id, ...call.form })
      return { redirectTo: call.linkHere(), notice: t`Saved.` }
    }),
    remove: action(object({ person: required(queryId()) }), (call) =>
      change(call, { remove: [call.form.person] }, t`Removed.`),
    ),
    cancel: action(object({}), async (call) => {
      await call.dispatch('events.cancel', call.params)
      return { redirectTo: call.link('/'), notice: t`Meeting cancelled. Its rooms are free again.` }
    }),
  }),
  async show(call) {
    const found = await findOwnMeeting(call, call.params.id)
    if (!found) throw new Refusal('not_found', MISSING)
    const isCancelled = found.status === EVENT_STATUSES.cancelled
    const isOver = isCancelled || found.to <= call.now
    const isOwn = found.organizerId === call.requirePerson().id
    return {
      title: found.name,
      lead: html`${formatMeetingSpan(found, call.now, await isAwayFromBookings(call, found))}${found.rooms.length > 0 && ` · ${formatRooms(found)}`}`,
      content: html`${isCancelled && html`<p><span class="badge bad">${t`cancelled`}</span></p>`}
${!isOver && (await showLost(call, found, isOwn))}
${!isOver && showUnusable(call, found)}
${await peopleCard(call, found, isOwn && !isOver)}
${isOwn && !isOver && html`${showRename(call, found)}${showCancel(call)}`}`,
    }
  },
})

/** Whether the person also has bookings whose clocks show another time. */
const isAwayFromBookings = async (call: Call, { zone }: OwnMeeting): Promise<boolean> =>
  (await listOwnBookings(call)).some((each) => each.zone !== zone)

type Changes =
  | { add: ReturnType<typeof attendeesOf> | [{ type: 'bookable'; id: number }] }
  | { remove: number[] }

async function change(call: ActionCall<{ id: number }>, attendees: Changes, notice: string) {
  await call.dispatch('events.update', { id: call.params.id, attendees })
  return { redirectTo: call.link(`/meetings/${call.params.id}`), notice }
}

function showUnusable({ now }: Called, meeting: OwnMeeting): Html | false {
  const sentences = listUnusable(meeting, now)
  if (sentences.length === 0) return false
  const rows = sentences.map((each) => html`<p><span class="badge warn long">${each}</span></p>`)
  return card(t`Room`, html`${rows}`, 'closed-room')
}

const OFFERED_MAX = 3

/** Shows why the meeting has no room; its organizer gets a button for each of the nearest free rooms. */
async function showLost(call: Called, meeting: OwnMeeting, isOwn: boolean): Promise<Html | false> {
  const why = explainLost(meeting)
  const [last] = meeting.lost
  if (!why || !last) return false
  const said = html`<p><span class="badge bad long">${why}</span></p>`
  return card(t`Room`, isOwn ? html`${said}${await offerRooms(call, meeting, last)}` : said, 'lost-room')
}

async function offerRooms(
  call: Called,
  meeting: OwnMeeting,
  last: OwnMeeting['lost'][number],
): Promise<Html> {
  const free = await listFreeSeats(
    call,
    {
      building: last.buildingId,
      type: BOOKABLE_TYPES.meetingRoom,
      people: meeting.people.length + 1,
      near: last.bookableId,
    },
    meeting,
    OFFERED_MAX,
  )
  const buttons = free.map(({ id, name, location, building }) =>
    form(call, {
      action: 'take-room',
      key: id,
      hidden: { room: id },
      isInline: true,
      submit: t`Take ${formatPlace({ bookable: name, location, building })}`,
    }),
  )
  const none = html`<p class="soft">${t`No room for this many people is free in this building at that time.`}</p>`
  return free.length > 0 ? html`<div class="buttons">${buttons}</div>` : none
}

async function peopleCard(call: Called, { people }: OwnMeeting, mayChange: boolean): Promise<Html> {
  const rows = people.map(
    ({ id, who, isGuest, isOrganizer }) =>
      html`<li><span>${who}${isGuest && html` <span class="badge">${t`guest`}</span>`}${isOrganizer && html` <span class="badge accent">${t`organizer`}</span>`}</span>${
        mayChange &&
        form(call, {
          action: 'remove',
          key: id,
          hidden: { person: id },
          tone: 'quiet',
          isInline: true,
          submit: t`Remove`,
          submitLabel: t`Remove ${who}`,
        })
      }</li>`,
  )
  const untold = plural(
    people.length,
    'One person is invited; Berth does not notify them.',
    '# people are invited; Berth does not notify them.',
  )
  const list =
    rows.length > 0 &&
    html`<ul class="my-rows">${rows}</ul>${mayChange && html`<p class="soft">${untold}</p>`}`
  return card(t`Who is invited`, html`${list}${mayChange && (await showInvite(call, t`Invite`))}`, 'invited')
}

const showRename = (call: Call, { name }: OwnMeeting): Html =>
  html`<details class="more-fields"><summary>${t`Title`}</summary>${form(call, { action: 'rename', submit: t`Save`, tone: 'quiet', isInline: true }, (fields) => fields.text('name', t`Title`, { value: name }))}</details>`

// It cannot be undone, so it takes two presses.
const showCancel = (call: Call): Html =>
  html`<details class="more-fields"><summary>${t`Cancel meeting`}</summary><p>${t`Its rooms become free for others.`}</p>
${form(call, { action: 'cancel', submit: t`Cancel this meeting`, tone: 'danger' })}</details>`
