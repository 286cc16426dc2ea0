// The state of the last mail to an administrator, as a badge and as a sentence.
import { parseStored } from '../../../shared/messages/message.ts'
import { type Content, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { formatMessage, t, tHtml } from '../locales/translate.ts'
import { showRelativeInstant } from '../time/instants.ts'
import type { AdministratorMail, AdministratorRow } from './queries.ts'

/** Mail that has been sent or is on its way has no badge. */
export function showMailBadge(mail: AdministratorMail | null): Content {
  if (!mail || mail.sentAt !== null || mail.error === null) return null
  return mail.nextAt === null
    ? html` <span class="badge bad">${t`mail failed`}</span>`
    : html` <span class="badge warn">${t`mail delayed`}</span>`
}

export function showMail(call: Call, { mail, email }: AdministratorRow): Content {
  if (!mail) return null
  const { sentAt, error, nextAt } = mail
  if (sentAt !== null)
    return html`<p>${tHtml`The last mail to ${email} was sent ${showRelativeInstant(sentAt, call.now)}.`}</p>`
  if (error === null) return html`<p>${t`A mail to ${email} is on its way.`}</p>`
  const next = nextAt === null ? t`It will not be tried again.` : t`It will be tried again.`
  const sentences = [t`The last mail to ${email} was not sent.`, formatMessage(parseStored(error)), next]
  return html`<div class="notice warn" role="status"><p>${sentences.join(' ')}</p></div>`
}
