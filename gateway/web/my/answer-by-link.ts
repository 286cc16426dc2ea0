// The page that the links in an invitation open. A colleague or a guest answers the invitation here without signing in.
// Opening the page saves no answer, because virus scanners open the links in mails too. The page names only the
// organizer.
import type { InferType } from 'yup'
import { seenTimes } from '../../../shared/events/event-jobs.ts'
import { ATTENDEE_STATUSES, EVENT_STATUSES } from '../../../shared/events/events.ts'
import { MEETING_ZONE } from '../../../shared/events/meeting-zone.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { choice, object, queryFlag, required, verbatimText } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../html/html.ts'
import { requireReply } from '../../queue/replies.ts'
import * as rows from '../../reads/rows/rows.ts'
import { flagColumn, nullableColumn, numberColumn, textColumn } from '../../reads/rows/rows.ts'
import { type Sentence, sentence, t, translate } from '../locales/translate.ts'
import { createUserActor } from '../pages/page/actions.ts'
import { type Call, definePage } from '../pages/page/page.ts'
import { formatSpan } from '../pages/time/spans.ts'
import { formatZone } from '../pages/time/zones.ts'
import { form } from '../pages/ui/forms.ts'
import { hashSecret } from '../sessions/secrets.ts'
import { ANSWER_STATUSES } from './answers.ts'

const LINK_EXPIRED = message`This link no longer works. The meeting is over, or you are no longer invited.`

const ANSWER_NAMES = ['yes', 'maybe', 'no'] as const
type AnswerName = (typeof ANSWER_NAMES)[number]

const BUTTON_LABELS: Record<AnswerName, Sentence> = {
  yes: sentence`Yes, I will come`,
  maybe: sentence`Maybe`,
  no: sentence`No, I will not come`,
}

const RECORDED_ANSWERS: Record<number, { label: Sentence; tone: string }> = {
  [ATTENDEE_STATUSES.accepted]: { label: sentence`You have accepted`, tone: 'good' },
  [ATTENDEE_STATUSES.tentative]: { label: sentence`You have answered “maybe”`, tone: 'warn' },
  [ATTENDEE_STATUSES.declined]: { label: sentence`You have declined`, tone: 'bad' },
}

const answerSchema = choice(ANSWER_NAMES, (name) => message`${name} must be yes, maybe or no.`)

const answerForm = object({ answer: required(answerSchema), ...seenTimes })

export const answerByLinkPage = definePage({
  path: '/answer',
  title: sentence`Invitation`,
  access: 'everybody',
  /** `all` is set in the links of mails about several meetings of a series. */
  query: object({ token: verbatimText({ max: 200 }), answer: answerSchema, all: queryFlag() }),
  missing: LINK_EXPIRED,
  actions: (action) => ({
    answer: action(answerForm, async (call) => {
      await saveAnswer(call)
      return { redirectTo: call.linkHere({ answer: call.form.answer }) }
    }),
  }),
  async show(call) {
    const invitation = await requireInvitation(call)
    return {
      title: invitation.name,
      lead: t`${invitation.organizer} invites you to this meeting.`,
      content: showInvitation(call, invitation),
    }
  },
})

type LinkCall = Call<
  unknown,
  { token?: string | undefined; answer?: AnswerName | undefined; all?: boolean | undefined }
>

const INVITATION_COLUMNS = {
  eventId: numberColumn('events.id'),
  name: textColumn('events.name'),
  description: textColumn('events.description'),
  isCancelled: flagColumn(`events.status = ${EVENT_STATUSES.cancelled}`),
  ...rows.createSpanColumns('events'),
  zone: textColumn(MEETING_ZONE),
  organizer: textColumn('organizers.name'),
  rooms: rows.listColumn(
    {
      room: textColumn('bookables.name'),
      location: textColumn('locations.name'),
      building: textColumn('buildings.name'),
      address: textColumn('buildings.address'),
    },
    `bookings ${rows.JOIN_BOOKABLES} WHERE bookings.event_id = events.id AND released_at IS NULL`,
    'bookings.id',
  ),
  /** The user who is invited. Null for a guest. */
  userId: nullableColumn(numberColumn('attending.user_id')),
  attendeeId: numberColumn('coalesce(attending.user_id, attending.visitor_id, attending.id)'),
  status: numberColumn('attending.status'),
  /** The other meetings of the series to which the person is invited and that are not over. */
  others: rows.listColumn(
    {
      id: numberColumn('also.id'),
      attendeeId: numberColumn(
        'coalesce(also_attending.user_id, also_attending.visitor_id, also_attending.id)',
      ),
    },
    `events AS also JOIN event_attendees AS also_attending ON also_attending.event_id = also.id
     WHERE also.series_id = events.series_id AND also.id <> events.id AND also.status = ${EVENT_STATUSES.confirmed}
       AND upper(also.during) > now() AND (also_attending.user_id = invitations.user_id
       OR lower(also_attending.email) = lower(invitations.email))`,
    'lower(also.during)',
  ),
}
type Invitation = rows.RowOf<typeof INVITATION_COLUMNS>

async function requireInvitation({ services, query }: LinkCall): Promise<Invitation> {
  const invitation = await rows.selectRow(
    services.primary,
    INVITATION_COLUMNS,
    `answer_links JOIN invitations ON invitations.id = invitation_id
     JOIN events ON events.id = invitations.event_id
     JOIN users AS organizers ON organizers.id = events.organizer_user_id
     JOIN event_attendees AS attending ON attending.event_id = events.id
       AND (attending.user_id = invitations.user_id OR lower(attending.email) = lower(invitations.email))
     LEFT JOIN users AS people ON people.id = invitations.user_id
     WHERE hash = $1 AND expires_at > now() AND upper(events.during) > now() AND people.deactivated_at IS NULL`,
    [hashSecret(query.token ?? '')],
  )
  if (!invitation) throw new Refusal('not_found', LINK_EXPIRED)
  return invitation
}

/** Records the answer. The link alone decides for which person and which meeting, regardless of what the form
 * contains. */
async function saveAnswer(call: LinkCall & { form: InferType<typeof answerForm> }): Promise<void> {
  const { services, now, requestId, baseUrl } = call
  const { answer, ...seen } = call.form
  const { eventId, userId, attendeeId, others } = await requireInvitation(call)
  const who =
    userId === null
      ? { actor: { type: 'system', id: null, name: 'invitation' } as const }
      : { actor: createUserActor({ id: userId }), userId }
  const origin = { ...who, requestId, baseUrl, receivedAt: now, idempotency: null }
  const input = { id: eventId, attendee_id: attendeeId, status: ANSWER_STATUSES[answer], ...seen }
  requireReply(await services.dispatcher.dispatch('events.answer', input, origin))
  for (const each of call.query.all ? others : []) {
    const also = { id: each.id, attendee_id: each.attendeeId, status: ANSWER_STATUSES[answer] }
    requireReply(await services.dispatcher.dispatch('events.answer', also, origin))
  }
}

function showInvitation(call: LinkCall, invitation: Invitation): Html {
  const { rooms, zone, status, isCancelled, description } = invitation
  const answered = RECORDED_ANSWERS[status]
  const places = rooms.map(({ room, location, building, address }) =>
    [room, location, building, address].filter((part) => part !== '').join(', '),
  )
  return html`<div class="card my-booking"><div><span class="my-time">${formatSpan(invitation, zone, call.now)} (${formatZone(zone)})</span>
${places.map((each) => html`<span class="soft">${each}</span>`)}
${description !== '' && html`<span class="my-description">${description}</span>`}
${isCancelled && html`<span class="badge bad">${t`cancelled`}</span>`}
${!isCancelled && answered && html`<span class="badge ${answered.tone}">${translate(answered.label)}</span>`}
${!isCancelled && showButtons(call, invitation)}</div></div>`
}

/**
 * Shows a button for each answer. The answer in the link comes first. The buttons send the time that the page shows,
 * because the answer is for this time. The refusal of an answer to an earlier time is shown at the top of the page.
 */
function showButtons(call: LinkCall, { from, to }: Invitation): Html {
  const { answer: asked } = call.query
  const inOrder =
    asked === undefined ? ANSWER_NAMES : [asked, ...ANSWER_NAMES.filter((each) => each !== asked)]
  const buttons = inOrder.map((each) =>
    form(call, {
      action: 'answer',
      key: `${each} ${from}`,
      hidden: { answer: each, from_time: from, to_time: to },
      isInline: true,
      submit: translate(BUTTON_LABELS[each]),
      tone: each === asked ? 'primary' : 'quiet',
    }),
  )
  return html`<div class="buttons">${buttons}</div>`
}
