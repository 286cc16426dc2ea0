// Settings: inviting an administrator. They choose their password with a link, which is shown to be passed
// on, and mailed if mail is set up.
import { adminRole } from '../../../shared/administrators/admins.ts'
import { object, required } from '../../../shared/schemas/fields.ts'
import { requirePasswords } from '../kit/local-sign-in.ts'
import { page } from '../kit/page.ts'
import { typedEmail } from '../kit/typed-email.ts'
import { sentence, t } from '../locales/translate.ts'
import { formCard } from '../ui/forms.ts'
import { administratorsBreadcrumbs, createLinkSecret, isMailed, linkView, roleField } from './fields.ts'

export const inviteAdministrator = page({
  path: '/settings/administrators/new',
  title: sentence`Invite an administrator`,
  section: 'Settings',
  readers: 'owner',
  writers: 'owner',
  actions: (action) => ({
    invite: action(object({ email: required(typedEmail()), role: adminRole() }), async (call) => {
      requirePasswords(call)
      const { secret, hash } = createLinkSecret(call)
      await call.dispatch('admins.invite', { ...call.form, hash, isMailed: isMailed(call) })
      return { show: linkView(call, call.form.email, secret, t`It works once, within seven days.`) }
    }),
  }),
  show: (call) => {
    requirePasswords(call)
    return {
      breadcrumbs: administratorsBreadcrumbs(),
      content: formCard(
        call,
        { action: 'invite', submit: t`Create link`, cancel: call.link('/settings/administrators') },
        (fields) => [
          fields.text({
            name: 'email',
            label: t`E-mail`,
            type: 'email',
            hint: isMailed(call)
              ? t`They sign in with it and receive the link there.`
              : t`They sign in with it. We send nothing to it.`,
            required: true,
            maxlength: 255,
            autofocus: true,
          }),
          roleField(fields, 'front-desk'),
        ],
      ),
    }
  },
})
