// The jobs that write administrators. Owners invite administrators, disable them and set their roles in the dashboard.
// A link's secret never leaves the gateway that created it; only its hash does. Signing in through the provider creates
// or links an administrator, or sets the role that the provider assigns.

import { LANGUAGE_NAMES } from '../messages/languages.ts'
import { message } from '../messages/message.ts'
import * as answer from '../schemas/answers.ts'
import { choice, email, flag, id, object, required, verbatimText } from '../schemas/fields.ts'
import { idInput, sha256 } from '../schemas/inputs.ts'
import { writeJob } from '../schemas/job.ts'
import { ROLES } from './roles.ts'

export const adminRoleInput = () =>
  required(choice(ROLES, (name) => message`${name} must be one of ${ROLES.join(', ')}.`))

export const adminJobs = {
  'admins.invite': writeJob(
    object({ email: required(email()), role: adminRoleInput(), hash: required(sha256()), isMailed: flag() }),
    answer.idReply,
  ),
  'admins.create-link': writeJob(
    object({ id: required(id()), hash: required(sha256()), isMailed: flag() }),
    answer.idReply,
  ),
  'admins.set-role': writeJob(object({ id: required(id()), role: adminRoleInput() }), answer.idReply),
  'admins.disable': writeJob(idInput, answer.idReply),
  'admins.enable': writeJob(idInput, answer.idReply),
  /**
   * Subscribes an administrator to the monthly report by mail in this language, or unsubscribes them if no language is
   * given.
   */
  'admins.set-report-mail': writeJob(
    object({
      id: required(id()),
      language: choice(LANGUAGE_NAMES, (name) => message`${name} must be a language of the dashboard.`),
    }),
    answer.idReply,
  ),
  'admins.sign-in': writeJob(
    object({
      issuer: required(verbatimText({ max: 2_048 })),
      subject: required(verbatimText({ max: 1_024 })),
      email: email(),
      isEmailVerified: required(flag()),
      role: adminRoleInput(),
    }),
    answer.idReply,
  ),
}
