// Shows answers to invitations, and the buttons that answer one. Each button sends the time that the page shows,
// because the answer is for this time.
import type { InferType } from 'yup'
import { seenTimes } from '../../../shared/events/event-jobs.ts'
import { ATTENDEE_STATUSES } from '../../../shared/events/events.ts'
import { object, required } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../html/html.ts'
import { type Sentence, sentence, t, translate } from '../locales/translate.ts'
import type { ActionCall, Call } from '../pages/page/page.ts'
import { choices } from '../pages/ui/fields.ts'
import { form } from '../pages/ui/forms.ts'
import { showCard } from '../pages/ui/parts.ts'
import type { OwnMeeting } from './bookings/own-bookings.ts'

const { noAnswer, accepted, tentative, declined } = ATTENDEE_STATUSES

const STATUS_ANSWERS: Record<number, { label: Sentence; tone: string }> = {
  [noAnswer]: { label: sentence`no answer yet`, tone: '' },
  [accepted]: { label: sentence`accepted`, tone: 'good' },
  [tentative]: { label: sentence`maybe`, tone: 'warn' },
  [declined]: { label: sentence`declined`, tone: 'bad' },
}
/** The attendee status that each answer button sets. */
export const ANSWER_STATUSES = { yes: accepted, maybe: tentative, no: declined }
const ANSWER_CHOICES = choices(['yes', sentence`Yes`], ['maybe', sentence`Maybe`], ['no', sentence`No`])

const formatAnswer = (status: number) => translate(STATUS_ANSWERS[status]?.label ?? sentence`no answer yet`)

export const showAnswer = (status: number): Html =>
  html`<span class="badge ${STATUS_ANSWERS[status]?.tone}">${formatAnswer(status)}</span>`

/** Returns whether to show the person's answer. The organizer never answers, and a meeting that sent no
 * invitations expects no answers. */
const isAnswerShown = ({ invites }: OwnMeeting, { answer, isOrganizer }: OwnMeeting['people'][number]) =>
  !isOrganizer && (invites || answer !== noAnswer)

/** Returns whether the person is invited and has not answered yet. */
export const isAwaitingAnswer = ({ invites, ownAnswer }: OwnMeeting): boolean =>
  invites && ownAnswer === noAnswer

export const showPersonAnswer = (meeting: OwnMeeting, person: OwnMeeting['people'][number]): Html | false =>
  isAnswerShown(meeting, person) && showAnswer(person.answer)

/** Formats a person with their answer: “Anna Bauer (accepted)”. */
export const formatPerson = (meeting: OwnMeeting, person: OwnMeeting['people'][number]): string =>
  isAnswerShown(meeting, person) ? t`${person.who} (${formatAnswer(person.answer)})` : person.who

export const answerForm = object({ answer: required(ANSWER_CHOICES.rule()), ...seenTimes })

export async function answerInvitation(
  call: ActionCall<{ id: number }, unknown, InferType<typeof answerForm>>,
) {
  const { id } = call.params
  const { answer, ...seen } = call.form
  const attendee_id = call.requirePerson().id
  await call.dispatch('events.answer', { id, attendee_id, status: ANSWER_STATUSES[answer], ...seen })
  return { redirectTo: call.link(`/meetings/${id}`), notice: t`Answer saved.` }
}

/** Shows the answers as buttons, with the current answer highlighted. Shows nothing to people who do not attend. */
export function showAnswerButtons(call: Call, { ownAnswer, from, to }: OwnMeeting): Html | false {
  if (ownAnswer === null) return false
  const buttons = ANSWER_CHOICES.options().map(({ value, label }) =>
    form(call, {
      action: 'answer',
      // The page shows the refusal of an answer to an earlier time at the top, because it belongs to none of these
      // forms.
      key: `${value} ${from}`,
      hidden: { answer: value, from_time: from, to_time: to },
      submit: label,
      tone: ANSWER_STATUSES[value] === ownAnswer ? 'primary' : 'quiet',
      isInline: true,
    }),
  )
  return showCard(
    t`Will you come?`,
    html`<p>${t`Your answer`}: ${showAnswer(ownAnswer)}</p><div class="buttons">${buttons}</div>`,
    'answer',
  )
}
