// The jobs of people's own pages, other than those for bookings: signing in, and personal settings.
import { LANGUAGE_NAMES } from '../messages/languages.ts'
import { message } from '../messages/message.ts'
import * as answer from '../schemas/answers.ts'
import { choice, email, flag, id, list, object, required, rule, text } from '../schemas/fields.ts'
import { sha256 } from '../schemas/inputs.ts'
import { writeJob } from '../schemas/job.ts'
import { webhookUrlInput } from '../webhooks/webhooks.ts'

/**
 * The choices of who sees a person's name at their desk. Everybody else sees “Someone”. The front desk always sees the
 * name.
 */
export const VISIBILITIES = ['everybody', 'groups', 'nobody'] as const
export type Visibility = (typeof VISIBILITIES)[number]

/** The kinds of mail that a person can switch off. */
export const PERSON_MAILS = [
  'confirmation',
  'reminder',
  'changed',
  'offer',
  'approval',
  'meeting',
  'answer',
] as const
export type PersonMail = (typeof PERSON_MAILS)[number]

/** The kinds of mail that a person can also get as a notification in their browsers. */
export const PERSON_PUSHES = ['reminder', 'changed', 'offer', 'approval'] as const
export type PersonPush = (typeof PERSON_PUSHES)[number]

/** The limit on the browsers of a person that get notifications. One more browser replaces the oldest one. */
export const PUSH_SUBSCRIPTIONS_MAX = 10

export const SIGN_IN_LINK_MINUTES = 15
/**
 * The limit on sign-in mails to one e-mail address within this period: enough for somebody who asks again, but too few
 * to flood a mailbox.
 */
export const SIGN_IN_MAILS_MAX = 3

export const visibility = () =>
  choice(VISIBILITIES, (name) => message`${name} must be one of ${VISIBILITIES.join(', ')}.`)

export const languageInput = () =>
  choice(LANGUAGE_NAMES, (name) => message`${name} must be a language of the pages.`)

export const personMailInput = () =>
  choice(PERSON_MAILS, (name) => message`${name} must be one of ${PERSON_MAILS.join(', ')}.`)

export const personPushInput = () =>
  choice(PERSON_PUSHES, (name) => message`${name} must be one of ${PERSON_PUSHES.join(', ')}.`)

const key = (bytes: number) =>
  text({ max: 128 }).test(
    ...rule<string>(
      'key',
      (name) => message`${name} must be a browser key in base64url.`,
      (value) => /^[\w-]+$/.test(value) && Buffer.from(value, 'base64url').length === bytes,
    ),
  )

/** The fields of a browser's PushSubscription. */
export const pushSubscriptionFields = () => ({
  endpoint: required(webhookUrlInput({ max: 1_024 })),
  p256dh: required(key(65)),
  auth: required(key(16)),
})

export const peopleJobs = {
  /**
   * Mails a sign-in link to the person with this e-mail. Does nothing for an unknown e-mail, so that nobody can find
   * out who has an account.
   */
  'people.request-sign-in': writeJob(object({ email: required(email()), language: languageInput() }), null),
  /** Creates a sign-in link for a person. An administrator passes the link on. */
  'people.create-sign-in-link': writeJob(
    object({ user_id: required(id()), hash: required(sha256()) }),
    answer.idReply,
  ),
  /** Changes the given settings of a person, and leaves the others unchanged. */
  'people.choose': writeJob(
    object({
      user_id: required(id()),
      visibility: visibility(),
      language: languageInput(),
      muted_mails: list(required(personMailInput()), { max: PERSON_MAILS.length, isDistinct: true }),
      pushed_kinds: list(required(personPushInput()), { max: PERSON_PUSHES.length, isDistinct: true }),
    }),
    null,
  ),
  /** Sends notifications to the browser of a session. The subscription may have belonged to somebody else before. */
  'people.subscribe-to-pushes': writeJob(
    object({ user_id: required(id()), session: required(sha256()), ...pushSubscriptionFields() }),
    null,
  ),
  'people.unsubscribe-from-pushes': writeJob(object({ user_id: required(id()), id: required(id()) }), null),
  'people.set-favourite': writeJob(
    object({ user_id: required(id()), colleague_id: required(id()), is_favourite: required(flag()) }),
    null,
  ),
}
