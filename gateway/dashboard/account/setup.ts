// Creating the first administrator, with the link that the gateway logs when it starts.
import { email, object, pathText, required } from '../../../shared/schemas/fields.ts'
import { html } from '../../http/html.ts'
import { requirePasswords } from '../kit/local-sign-in.ts'
import { page } from '../kit/page.ts'
import { PageFailure } from '../kit/sessions/failure.ts'
import { createSecret } from '../kit/sessions/secrets.ts'
import { beginSession } from '../kit/sessions/sessions.ts'
import { sentence, t } from '../locales/translate.ts'
import { form } from '../ui/forms.ts'
import { emailField, newPassword, newPasswordFields, requireSamePassword } from './fields.ts'
import { createFirstAdmin, isValidSetupLink } from './setup-links.ts'

const setupForm = object({ email: required(email()), password: newPassword(), repeated: newPassword() })

export const setup = page({
  path: '/setup',
  title: sentence`Welcome to Berth`,
  access: 'everybody',
  query: object({ token: pathText().optional() }),
  actions: (action) => ({
    'set-up': action(setupForm, async (call) => {
      const { services, query, device, form: sent } = call
      requirePasswords(call)
      requireSamePassword(sent.password, sent.repeated)
      // Checked before the costly hash, so that requests without a valid link cost no CPU time.
      if (!(await isValidSetupLink(services.primary, query.token))) throw invalidLink()
      const passwordHash = await call.signIns.hash(sent.password)
      const id = await createFirstAdmin(services.primary, query.token ?? '', {
        email: sent.email,
        passwordHash,
      })
      if (id === undefined) throw invalidLink()
      const secret = createSecret()
      await beginSession(services.primary, secret, { id, passwordHash }, device)
      call.setSession(secret)
      call.rememberBrowser({ id, passwordHash })
      services.log.info({ adminId: id, requestId: call.requestId }, 'created the first administrator')
      return { redirectTo: call.link('/'), notice: t`Welcome! You are the first administrator.` }
    }),
  }),
  async show(call) {
    requirePasswords(call)
    if (!(await isValidSetupLink(call.services.primary, call.query.token))) throw invalidLink()
    return {
      lead: t`Create the first administrator.`,
      content: html`<div class="card narrow">${form(
        call,
        { action: 'set-up', submit: t`Create administrator` },
        (fields) => [emailField(fields), newPasswordFields(fields, t`Password`, t`Repeat password`)],
      )}</div>`,
    }
  },
})

function invalidLink(): PageFailure {
  return new PageFailure(
    404,
    t`This link does not work`,
    t`It has been used, is older than 24 hours, or is incomplete. While there is no administrator, the gateway logs a new link each time it starts. “npm run admin -- create” always works.`,
  )
}
