// The page of a meeting: when and where it is, who is invited, and how they answered. The organizer can
// change the meeting with one form, move it to another time or room with one click, or cancel it. Other
// attendees see the same details and can answer.
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { object, pathId, queryId, required } from '../../../shared/schemas/fields.ts'
import { formatLocalDateTime } from '../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../html/html.ts'
import { sentence, t } from '../locales/translate.ts'
import { createCancelButtons, getSeveralScope, scopeForm } from '../pages/bookings/series-scope.ts'
import { canMail } from '../pages/page/can-mail.ts'
import { type Call, definePage } from '../pages/page/page.ts'
import { formatSpan } from '../pages/time/spans.ts'
import { form } from '../pages/ui/forms.ts'
import { showCard, showLink } from '../pages/ui/parts.ts'
import { answerForm, answerInvitation, showAnswerButtons, showPersonAnswer } from './answers.ts'
import { findFreeTimes } from './book/free-times.ts'
import { formatSuggestion, showFreeTimes } from './book/free-times-picture.ts'
import { findOwnMeeting, type OwnMeeting } from './bookings/own-bookings.ts'
import { describeUnusableRooms, explainLostRooms, formatRooms } from './describe-meeting.ts'
import { addRoomToMeeting, showOfferedRooms, takeRoomForm } from './lost-room.ts'
import { meetingForm, parseMeetingForm, parseTimes, showMeetingForm, timesForm } from './meeting-form.ts'

const MEETING_NOT_FOUND = message`This meeting does not exist, or you are not part of it.`

type MeetingCall = Call<{ id: number }>

export const meetingPage = definePage({
  path: '/meetings/{id}',
  title: sentence`Meeting`,
  section: 'My day',
  params: object({ id: pathId() }),
  missing: MEETING_NOT_FOUND,
  actions: (action) => ({
    change: action(meetingForm, async (call) => {
      const change = await parseMeetingForm(call, await requireMeeting(call))
      const scope = getSeveralScope(call.form)
      if (scope) await call.dispatch('event-series.update-events', { ...change, scope })
      else await call.dispatch('events.update', change)
      return { redirectTo: call.linkHere(), notice: t`Saved.` }
    }),
    'take-time': action(timesForm, async (call) => {
      const { from, to } = parseTimes(await requireMeeting(call), call.form)
      await call.dispatch('events.update', { ...call.params, from_time: from, to_time: to, invite: true })
      return { redirectTo: call.linkHere(), notice: t`Saved.` }
    }),
    'take-room': action(takeRoomForm, addRoomToMeeting),
    remove: action(object({ person: required(queryId()) }), async (call) => {
      await call.dispatch('events.update', {
        ...call.params,
        attendees: { remove: [call.form.person] },
        invite: true,
      })
      return { redirectTo: call.linkHere(), notice: t`Removed.` }
    }),
    answer: action(answerForm, answerInvitation),
    cancel: action(scopeForm, async (call) => {
      const scope = getSeveralScope(call.form)
      if (scope) await call.dispatch('event-series.cancel-events', { ...call.params, scope })
      else await call.dispatch('events.cancel', call.params)
      const notice = scope
        ? t`Meetings cancelled. Their rooms are free again.`
        : t`Meeting cancelled. Its rooms are free again.`
      return { redirectTo: call.link('/'), notice }
    }),
  }),
  async show(call) {
    const found = await requireMeeting(call)
    const isCancelled = found.status === EVENT_STATUSES.cancelled
    const isOver = isCancelled || found.to <= call.now
    const isOwn = found.organizerId === call.requirePerson().id
    const span = formatSpan(found, found.zone, call.now)
    const rooms = found.rooms.length > 0 && ` · ${formatRooms(found)}`
    return {
      title: found.name,
      lead: html`${span}${rooms}`,
      tools: isOver ? null : showCalendarLink(call, found),
      content: html`${isCancelled && html`<p><span class="badge bad">${t`cancelled`}</span></p>`}
${found.description !== '' && html`<p class="my-description">${found.description}</p>`}
${!isOver && (await showLostRoom(call, found, isOwn))}
${!isOver && showUnusableRooms(call, found)}
${!isOver && !isOwn && showAnswerButtons(call, found)}
${await showDetails(call, found, isOwn && !isOver)}
${isOwn && !isOver && html`${await showFreeTimesForm(call, found)}${showCancelButton(call, found)}`}`,
    }
  },
})

async function requireMeeting(call: MeetingCall): Promise<OwnMeeting> {
  const found = await findOwnMeeting(call, call.params.id)
  if (!found) throw new Refusal('not_found', MEETING_NOT_FOUND)
  return found
}

const showCalendarLink = (call: Call, { id }: OwnMeeting) =>
  showLink(call.link(`/meetings/${id}/calendar`), t`Add to calendar`, {
    class: 'button quiet',
    download: true,
  })

function showUnusableRooms({ now }: MeetingCall, meeting: OwnMeeting): Html | false {
  const sentences = describeUnusableRooms(meeting, now)
  if (sentences.length === 0) return false
  const rows = sentences.map((each) => html`<p><span class="badge warn long">${each}</span></p>`)
  return showCard(t`Room`, html`${rows}`, 'closed-room')
}

/** Shows which rooms the meeting misses, and why. Its organizer gets a button for each of the nearest free rooms. */
async function showLostRoom(call: MeetingCall, meeting: OwnMeeting, isOwn: boolean): Promise<Html | false> {
  const why = explainLostRooms(meeting)
  if (!why) return false
  const said = html`<p><span class="badge bad long">${why}</span></p>`
  return showCard(t`Room`, html`${said}${isOwn && (await showOfferedRooms(call, meeting))}`, 'lost-room')
}

/** Shows who is invited and their answers. The organizer also gets the form that changes the meeting. */
async function showDetails(call: MeetingCall, meeting: OwnMeeting, mayChange: boolean): Promise<Html> {
  const rows = meeting.people.map((person) => {
    const { who, isGuest, isOrganizer } = person
    return html`<li><span>${who}${isGuest && html` <span class="badge">${t`guest`}</span>`}${
      isOrganizer && html` <span class="badge accent">${t`organizer`}</span>`
    } ${showPersonAnswer(meeting, person)}</span>${mayChange && showRemoveButton(call, person)}</li>`
  })
  const list = rows.length > 0 && html`<ul class="my-rows">${rows}</ul>`
  const about =
    mayChange && rows.length > 0 && canMail(call) && html`<p class="soft">${describeMail(meeting)}</p>`
  return showCard(
    t`Who is invited`,
    html`${list}${about}${mayChange && (await showMeetingForm(call, meeting))}`,
    'invited',
  )
}

const describeMail = ({ invites }: OwnMeeting): string =>
  invites
    ? t`Everybody here is invited by e-mail and gets an e-mail about each change.`
    : t`Nobody here has been notified. When you change something, everybody is invited by e-mail.`

const showRemoveButton = (call: Call, { id, who }: OwnMeeting['people'][number]): Html =>
  form(call, {
    action: 'remove',
    key: id,
    hidden: { person: id },
    tone: 'quiet',
    isInline: true,
    submit: t`Remove`,
    submitLabel: t`Remove ${who}`,
  })

async function showFreeTimesForm(call: MeetingCall, meeting: OwnMeeting): Promise<Html> {
  const { id, people, rooms, from, to, zone } = meeting
  const known = people.flatMap(({ userId }) => userId ?? [])
  const [room] = rooms
  const found = await findFreeTimes(call, {
    userIds: [call.requirePerson().id, ...known],
    unknown: people.length - known.length,
    room: room && { id: room.bookableId, hours: room.hours },
    event: id,
    from,
    to,
    zone,
  })
  return showFreeTimes(found, (span) =>
    form(call, {
      action: 'take-time',
      key: span.from,
      hidden: {
        from_time: formatLocalDateTime(span.from, zone),
        to_time: formatLocalDateTime(span.to, zone),
      },
      isInline: true,
      tone: 'quiet',
      submit: formatSuggestion(span, zone),
    }),
  )
}

// Shows the buttons that cancel the meeting. It takes two presses, because everybody gets a mail.
const showCancelButton = (call: Call, { seriesId }: OwnMeeting): Html =>
  html`<details class="more-fields"><summary>${t`Cancel meeting`}</summary><p>${t`The rooms of the meeting become free for others.`}</p>
${form(call, { action: 'cancel', ...createCancelButtons(seriesId, t`Cancel this meeting`), tone: 'danger' })}</details>`
