// The pages on which administrators choose a password with a link: the first administrator, with the link
// that the gateway logs when it starts; others with a link from an owner, after an invitation or when the
// password is forgotten.
import type pg from 'pg'
import { email, object, pathText, required } from '../../../../shared/schemas/fields.ts'
import { type Content, html } from '../../../html/html.ts'
import { type Sentence, sentence, t, tHtml, translate } from '../../locales/translate.ts'
import { type Page, page, type Schema } from '../../pages/page/page.ts'
import { requirePasswords } from '../../pages/page/roles.ts'
import { emailField } from '../../pages/ui/email-field.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { formCard } from '../../pages/ui/forms.ts'
import { PageFailure } from '../../sessions/failure.ts'
import { createFirstAdmin, findLinkedAdmin, isValidSetupLink, redeemLink } from './accounts.ts'
import { newPasswordFields, newPasswordForm, requireSamePassword, startSession } from './fields.ts'

type PasswordValues = { password: string; repeated: string; email?: string }
type Linked = { email?: string }

type LinkPage = {
  path: string
  title: Sentence
  action: string
  submit: Sentence
  form: Schema
  fields?(fields: Fields): Content
  /** Undefined if the link is not valid. */
  find(primary: pg.Pool, token: string | undefined): Promise<Linked | undefined>
  lead(found: Linked): Content
  /** Uses the link and returns the administrator's id, or undefined if the link is no longer valid. */
  redeem(primary: pg.Pool, token: string, hash: string, typed: PasswordValues): Promise<number | undefined>
  welcome: Sentence
  /** For the log. */
  done: string
  invalid: Sentence
}

function linkPage(link: LinkPage): Page {
  const { path, title, action, submit, find, lead, redeem, welcome, done } = link
  const invalid = () => new PageFailure(404, t`This link does not work`, translate(link.invalid))
  return page({
    path,
    title,
    access: 'everybody',
    query: object({ token: pathText().optional() }),
    actions: (make) => ({
      [action]: make(link.form, async (call) => {
        const { log, primary } = call.services
        const { token } = call.query
        const typed: PasswordValues = call.form
        requirePasswords(call)
        requireSamePassword(typed)
        // Checked before the costly hash, so that requests without a valid link cost no CPU time.
        if ((await find(primary, token)) === undefined) throw invalid()
        const passwordHash = await call.signIns.hash(typed.password)
        const id = await redeem(primary, token ?? '', passwordHash, typed)
        if (id === undefined) throw invalid()
        await startSession(call, { id, passwordHash })
        log.info({ adminId: id, requestId: call.requestId }, done)
        return { redirectTo: call.link('/'), notice: translate(welcome) }
      }),
    }),
    async show(call) {
      requirePasswords(call)
      const found = await find(call.services.primary, call.query.token)
      if (found === undefined) throw invalid()
      return {
        lead: html`${lead(found)}`,
        content: formCard(call, { action, submit: translate(submit) }, (fields) => [
          link.fields?.(fields),
          newPasswordFields(fields, t`Password`, t`Repeat password`),
        ]),
      }
    },
  })
}

export const setup = linkPage({
  path: '/setup',
  title: sentence`Welcome to Berth`,
  action: 'set-up',
  submit: sentence`Create administrator`,
  form: newPasswordForm.shape({ email: required(email()) }),
  fields: emailField,
  find: async (primary, token) => ((await isValidSetupLink(primary, token)) ? {} : undefined),
  lead: () => t`Create the first administrator.`,
  redeem: (primary, token, passwordHash, { email = '' }) =>
    createFirstAdmin(primary, token, { email, passwordHash }),
  welcome: sentence`Welcome! You are the first administrator.`,
  done: 'created the first administrator',
  invalid: sentence`The link has been used, is older than 24 hours, or is incomplete. While there is no administrator, Berth writes a new link to its log each time it starts. “npm run admin -- create” always works.`,
})

export const choosePassword = linkPage({
  path: '/password',
  title: sentence`Choose a password`,
  action: 'choose',
  submit: sentence`Save password`,
  form: newPasswordForm,
  find: findLinkedAdmin,
  lead: ({ email = '' }) => tHtml`For ${html`<strong>${email}</strong>`}`,
  redeem: redeemLink,
  welcome: sentence`Welcome! Your password is saved.`,
  done: 'password chosen with a link',
  invalid: sentence`The link has been used, is too old, or is incomplete. Ask an owner for a new one.`,
})
