// Whom a person invites to a meeting: colleagues who let the person see them, found by name, and guests by e-mail. All of
// them are e-mail addresses here, so that a page can keep them in its own address and works without scripts.
import type pg from 'pg'
import type { InputOf } from '../../../../shared/jobs/jobs.ts'
import { message } from '../../../../shared/messages/message.ts'
import { invalid } from '../../../../shared/messages/refusal.ts'
import { object, required, text } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { parseTypedEmail } from '../../pages/page/typed-email.ts'
import { CHOICES_MAX, searchUsers, type USER } from '../../pages/search/choices.ts'
import { form } from '../../pages/ui/forms.ts'
import { showLink } from '../../pages/ui/parts.ts'

const TYPED_MAX = 1_000
const ADDRESS_MAX = 4_000

/** `invited`: the e-mail addresses. `person`: a name that several colleagues have. */
export const invitedQuery = { invited: text({ max: ADDRESS_MAX }), person: text({ max: 255 }) }
export const inviteForm = object({ who: required(text({ max: TYPED_MAX, min: 1 })) })
type InvitedQuery = { invited?: string | undefined; person?: string | undefined }

/** `name` is null for a guest. */
export type Invited = { email: string; name: string | null }

const GUEST_NEEDS_EMAIL = message`Nobody found with this name. To invite a guest, enter an e-mail address.`

/** The addresses that were typed; undefined if several colleagues have the name. */
export async function findTyped({ reads }: Call, who: string): Promise<string[] | undefined> {
  const parts = who.split(/[\s,;]+/).filter(Boolean)
  const emails = parts.flatMap((part) => parseTypedEmail(part) ?? [])
  if (emails.length > 0 && emails.length === parts.length) return emails
  const found = await searchUsers(reads, who, { among: 'colleagues' })
  if (found.length === 0) throw invalid({ who: [GUEST_NEEDS_EMAIL] })
  return found.length === 1 ? found.map(({ email }) => email) : undefined
}

/** Finds the people in the address of the page, colleagues with their names. */
export const listInvited = ({ reads, query }: Call<unknown, InvitedQuery>): Promise<Invited[]> =>
  findInvited(reads, emailsIn(query))

const emailsIn = ({ invited }: InvitedQuery) =>
  (invited ?? '').split(',').flatMap((each) => parseTypedEmail(each) ?? [])

export async function findInvited(reads: pg.Pool, emails: string[]): Promise<Invited[]> {
  if (emails.length === 0) return []
  const columns = {
    email: rows.text('coalesce(users.email, asked.email)'),
    name: rows.orNull(rows.text('users.name')),
  }
  const asked = 'unnest($1::text[]) WITH ORDINALITY AS asked (email, ordinal)'
  const found = `${asked} LEFT JOIN colleagues AS users ON lower(users.email) = lower(asked.email) ORDER BY ordinal`
  return rows.selectRows(reads, columns, found, [emails])
}

export const attendeesOf = (invited: Invited[]): NonNullable<InputOf<'events.create'>['attendees']> =>
  invited.map(({ email, name }) => ({ type: name === null ? 'visitor' : 'user', email }))

/** The title of a meeting to which the person gives none. */
export const ownTitle = (call: Call) => t`Meeting of ${call.requirePerson().name}`

/** The address of this page with more people invited, or with one removed. */
export function withInvited(
  call: Call<unknown, InvitedQuery>,
  { add = [], drop }: { add?: string[]; drop?: string },
) {
  const emails = [...emailsIn(call.query), ...add].filter((each) => each !== drop)
  return call.linkHere({ invited: [...new Set(emails)].join(), person: null })
}

/** The field, and below it the colleagues who have the name. Their buttons invite them as if their e-mail had been typed. */
export async function showInvite(call: Call<unknown, InvitedQuery>, submit: string): Promise<Html> {
  const { person } = call.query
  const found = person === undefined ? [] : await searchUsers(call.reads, person, { among: 'colleagues' })
  const button = ({ id, name, email }: rows.RowOf<typeof USER>) =>
    html`<li>${form(call, { action: 'invite', key: id, hidden: { who: email }, submit: name, submitLabel: `${submit}: ${name}, ${email}`, tone: 'quiet', isInline: true })}</li>`
  return html`${form(call, { action: 'invite', submit, tone: 'quiet', isInline: true }, (fields) =>
    fields.text('who', t`Name, or guest’s e-mail`, { maxlength: TYPED_MAX }),
  )}
${found.length > 0 && html`<ul class="my-instead" aria-label="${t`People found`}">${found.slice(0, CHOICES_MAX).map(button)}</ul>`}
${found.length > CHOICES_MAX && html`<p class="soft">${t`There are more matches. Add another word to narrow them down.`}</p>`}`
}

/** Shows the people in the address so far, and the field that adds more. */
export async function showInvitation(call: Call<unknown, InvitedQuery>, invited: Invited[]): Promise<Html> {
  const isOpen =
    invited.length > 0 || call.query.person !== undefined || call.refusedForm?.action === 'invite'
  const rows = invited.map(({ email, name }) => {
    const label = { class: 'button quiet', 'aria-label': t`Remove ${name ?? email}` }
    return html`<li><span>${name ?? email}</span>${showLink(withInvited(call, { drop: email }), t`Remove`, label)}</li>`
  })
  return html`<details class="more-fields"${isOpen && html` open`}><summary>${t`Invite people`}</summary>
${rows.length > 0 && html`<ul class="my-rows">${rows}</ul>`}
${await showInvite(call, t`Add`)}</details>`
}
