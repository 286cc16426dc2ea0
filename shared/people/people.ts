// The jobs of the people's own pages that are not bookings: signing in, and what each person chooses.
import { LANGUAGE_NAMES } from '../messages/languages.ts'
import { message } from '../messages/message.ts'
import * as answer from '../schemas/answers.ts'
import { choice, email, flag, id, list, object, required } from '../schemas/fields.ts'
import { sha256 } from '../schemas/inputs.ts'
import { write } from '../schemas/job.ts'

/** Who sees by name where a person sits. For all others they are “Someone”; the front desk sees everybody. */
export const VISIBILITIES = ['everybody', 'groups', 'nobody'] as const
export type Visibility = (typeof VISIBILITIES)[number]

/** The mails that a person can switch off. */
export const PERSON_MAILS = ['confirmation', 'reminder', 'changed', 'offer', 'approval'] as const
export type PersonMail = (typeof PERSON_MAILS)[number]

export const SIGN_IN_LINK_MINUTES = 15
/** The limit per e-mail address within that time: enough for somebody who asks again, and too few to flood a mailbox. */
export const SIGN_IN_MAILS_MAX = 3

export const visibility = () =>
  choice(VISIBILITIES, (name) => message`${name} must be one of ${VISIBILITIES.join(', ')}.`)

export const language = () =>
  choice(LANGUAGE_NAMES, (name) => message`${name} must be a language of the pages.`)

export const personMail = () =>
  choice(PERSON_MAILS, (name) => message`${name} must be one of ${PERSON_MAILS.join(', ')}.`)

export const peopleJobs = {
  /** Mails a link to the person with this e-mail. Does nothing for an unknown one, so that nobody can find out. */
  'people.request-sign-in': write(object({ email: required(email()), language: language() }), null),
  /** A link that an administrator hands over. */
  'people.create-sign-in-link': write(
    object({ user_id: required(id()), hash: required(sha256()) }),
    answer.idReply,
  ),
  /** Changes the given fields and keeps the others. */
  'people.choose': write(
    object({
      user_id: required(id()),
      visibility: visibility(),
      language: language(),
      muted_mails: list(required(personMail()), { max: PERSON_MAILS.length, isDistinct: true }),
    }),
    null,
  ),
  'people.set-favourite': write(
    object({ user_id: required(id()), colleague_id: required(id()), is_favourite: required(flag()) }),
    null,
  ),
}
