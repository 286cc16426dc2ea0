// The jobs that write administrators. Owners invite, disable and give roles in the dashboard; only the hash
// of a link's secret leaves the gateway that created it. Signing in through the provider creates an
// administrator, links one, or sets the role that the provider gives.

import { LANGUAGE_NAMES } from '../messages/languages.ts'
import { message } from '../messages/message.ts'
import * as answer from '../schemas/answers.ts'
import { choice, email, flag, id, object, required, verbatim } from '../schemas/fields.ts'
import { byId, sha256 } from '../schemas/inputs.ts'
import { write } from '../schemas/job.ts'
import { ROLES } from './roles.ts'

export const adminRole = () =>
  required(choice(ROLES, (name) => message`${name} must be one of ${ROLES.join(', ')}.`))

export const adminJobs = {
  'admins.invite': write(
    object({ email: required(email()), role: adminRole(), hash: required(sha256()), isMailed: flag() }),
    answer.idReply,
  ),
  'admins.create-link': write(
    object({ id: required(id()), hash: required(sha256()), isMailed: flag() }),
    answer.idReply,
  ),
  'admins.set-role': write(object({ id: required(id()), role: adminRole() }), answer.idReply),
  'admins.disable': write(byId, answer.idReply),
  'admins.enable': write(byId, answer.idReply),
  /** Subscribes to the monthly report by mail, in this language; without a language, unsubscribes. */
  'admins.set-report-mail': write(
    object({
      id: required(id()),
      language: choice(LANGUAGE_NAMES, (name) => message`${name} must be a language of the dashboard.`),
    }),
    answer.idReply,
  ),
  'admins.sign-in': write(
    object({
      issuer: required(verbatim({ max: 2_048 })),
      subject: required(verbatim({ max: 1_024 })),
      email: email(),
      isEmailVerified: required(flag()),
      role: adminRole(),
    }),
    answer.idReply,
  ),
}
