// The pages on which administrators choose a password with a link. The first administrator uses the link that
// the gateway logs when it starts; others use a link from an owner, after an invitation or when they have
// forgotten their password.
import type pg from 'pg'
import { email, object, pathText, required } from '../../../../shared/schemas/fields.ts'
import { type Content, html } from '../../../html/html.ts'
import { type Sentence, sentence, t, tHtml, translate } from '../../locales/translate.ts'
import { definePage, type FormSchema, type Page } from '../../pages/page/page.ts'
import { requirePasswords } from '../../pages/page/roles.ts'
import { showEmailField } from '../../pages/ui/email-field.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { showFormCard } from '../../pages/ui/forms.ts'
import { PageFailure } from '../../sessions/failure.ts'
import { createFirstAdmin, findLinkedAdmin, isValidSetupLink, redeemLink } from './accounts.ts'
import { newPasswordForm, requireSamePassword, showNewPasswordFields, startSession } from './fields.ts'

type PasswordValues = { password: string; repeated: string; email?: string }
type LinkedAccount = { email?: string }

type LinkPage = {
  path: string
  title: Sentence
  action: string
  submit: Sentence
  form: FormSchema
  fields?(fields: Fields): Content
  /** Finds the account of a link. Returns undefined if the link is not valid. */
  find(primary: pg.Pool, token: string | undefined): Promise<LinkedAccount | undefined>
  lead(found: LinkedAccount): Content
  /** Uses the link up, and returns the administrator's id. Returns undefined if the link is no longer valid. */
  redeem(primary: pg.Pool, token: string, hash: string, typed: PasswordValues): Promise<number | undefined>
  welcome: Sentence
  /** What this page's step is called in the log. */
  done: string
  invalid: Sentence
}

function defineLinkPage(link: LinkPage): Page {
  const { path, title, action, submit, find, lead, redeem, welcome, done } = link
  const invalid = () => new PageFailure(404, t`This link does not work`, translate(link.invalid))
  return definePage({
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
        // Checks the link before computing the costly hash, so that requests without a valid link cost no CPU
        // time.
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
        content: showFormCard(call, { action, submit: translate(submit) }, (fields) => [
          link.fields?.(fields),
          showNewPasswordFields(fields, t`Password`, t`Repeat password`),
        ]),
      }
    },
  })
}

export const adminSetupPage = defineLinkPage({
  path: '/setup',
  title: sentence`Welcome to Berth`,
  action: 'set-up',
  submit: sentence`Create administrator`,
  form: newPasswordForm.shape({ email: required(email()) }),
  fields: showEmailField,
  find: async (primary, token) => ((await isValidSetupLink(primary, token)) ? {} : undefined),
  lead: () => t`Create the first administrator.`,
  redeem: (primary, token, passwordHash, { email = '' }) =>
    createFirstAdmin(primary, token, { email, passwordHash }),
  welcome: sentence`Welcome! You are the first administrator.`,
  done: 'created the first administrator',
  invalid: sentence`The link has been used, is older than 24 hours, or is incomplete. While there is no administrator, Berth writes a new link to its log each time it starts. “npm run admin -- create” always works.`,
})

export const choosePasswordPage = defineLinkPage({
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
