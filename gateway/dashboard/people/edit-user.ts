// The page that edits a user. The form's values replace the existing ones.
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { backPath, backQuery, keepBack } from '../kit/back.ts'
import { page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { formCard } from '../ui/forms.ts'
import { parseUser, userFields, userForm } from './form.ts'
import { listAttributes, missingUser, requireUser } from './queries.ts'

export const editUser = page({
  path: '/people/{id}/edit',
  title: sentence`Edit person`,
  section: 'People',
  params: object({ id: pathId() }),
  query: object(backQuery),
  missing: missingUser,
  actions: (action) => ({
    edit: action(userForm, async (call) => {
      const { id } = call.params
      await call.dispatch('users.edit', { id, version: call.version, ...parseUser(call.form, call.now) })
      return { redirectTo: call.link(keepBack(call, `/people/${id}`)), notice: t`Changes saved.` }
    }),
  }),
  async show(call) {
    const { id } = call.params
    // Reads from the primary: saving replaces everything, so a lagging replica would bring old values back.
    const [user, used] = await Promise.all([
      requireUser(call.services.primary, id),
      listAttributes(call.reads),
    ])
    return {
      title: t`Edit ${user.name}`,
      breadcrumbs: [
        [t`People`, backPath(call, '/people')],
        [user.name, keepBack(call, `/people/${id}`)],
      ],
      content: formCard(
        call,
        {
          action: 'edit',
          submit: t`Save changes`,
          cancel: call.link(keepBack(call, `/people/${id}`)),
          version: user.version,
        },
        (fields) => userFields(fields, user, used),
      ),
    }
  },
})
