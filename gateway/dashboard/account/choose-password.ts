// Choosing a password with a link from an owner, after an invitation or when the password is forgotten.
import { object, pathText } from '../../../shared/schemas/fields.ts'
import { html } from '../../http/html.ts'
import { requirePasswords } from '../kit/local-sign-in.ts'
import { page } from '../kit/page.ts'
import { PageFailure } from '../kit/sessions/failure.ts'
import { createSecret } from '../kit/sessions/secrets.ts'
import { beginSession } from '../kit/sessions/sessions.ts'
import { sentence, t, tHtml } from '../locales/translate.ts'
import { form } from '../ui/forms.ts'
import { findLinkedAdmin, redeemLink } from './admin-links.ts'
import { newPassword, newPasswordFields, requireSamePassword } from './fields.ts'

const passwordForm = object({ password: newPassword(), repeated: newPassword() })

export const choosePassword = page({
  path: '/password',
  title: sentence`Choose a password`,
  access: 'everybody',
  query: object({ token: pathText().optional() }),
  actions: (action) => ({
    choose: action(passwordForm, async (call) => {
      const { services, query, device, form: sent } = call
      requirePasswords(call)
      requireSamePassword(sent.password, sent.repeated)
      // Checked before the costly hash, so that requests without a valid link cost no CPU time.
      if (!(await findLinkedAdmin(services.primary, query.token))) throw invalidLink()
      const passwordHash = await call.signIns.hash(sent.password)
      const admin = await redeemLink(services.primary, query.token ?? '', passwordHash)
      if (!admin) throw invalidLink()
      const secret = createSecret()
      await beginSession(services.primary, secret, { id: admin.id, passwordHash }, device)
      call.setSession(secret)
      call.rememberBrowser({ id: admin.id, passwordHash })
      services.log.info({ adminId: admin.id, requestId: call.requestId }, 'password chosen with a link')
      return { redirectTo: call.link('/'), notice: t`Welcome! Your password is saved.` }
    }),
  }),
  async show(call) {
    requirePasswords(call)
    const admin = await findLinkedAdmin(call.services.primary, call.query.token)
    if (!admin) throw invalidLink()
    return {
      lead: tHtml`For ${html`<strong>${admin.email}</strong>`}`,
      content: html`<div class="card narrow">${form(
        call,
        { action: 'choose', submit: t`Save password` },
        (fields) => newPasswordFields(fields, t`Password`, t`Repeat password`),
      )}</div>`,
    }
  },
})

function invalidLink(): PageFailure {
  return new PageFailure(
    404,
    t`This link does not work`,
    t`It has been used, is too old, or is incomplete. Ask an owner for a new one.`,
  )
}
