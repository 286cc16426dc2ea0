// People: changing one; what is there is replaced by what stands in the form.
import { object, pathId } from '../../../shared/contracts/fields.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { html } from '../../http/html.ts'
import { page } from '../framework/page.ts'
import { form } from '../ui/forms.ts'
import { personFields, personForm, personOf } from './form.ts'
import { noPerson } from './person.ts'
import { findPerson, listAttributes } from './queries.ts'

export const editPerson = page({
  path: '/people/{id}/edit',
  title: 'Edit person',
  section: 'People',
  params: object({ id: pathId() }),
  missing: noPerson,
  actions: (action) => ({
    edit: action(personForm, async (call) => {
      const { id } = call.params
      await call.dispatch('users.edit', { id, version: call.version, ...personOf(call.form, call.now) })
      return { redirectTo: call.link(`/people/${id}`), notice: 'Changes saved.' }
    }),
  }),
  async show(call) {
    const { id } = call.params
    // What is saved replaces all of it: a replica that lags behind would bring old things back.
    const [person, used] = await Promise.all([
      findPerson(call.services.primary, id),
      listAttributes(call.reads),
    ])
    if (!person) throw new Refusal('not_found', noPerson)
    return {
      title: `Edit ${person.name}`,
      breadcrumbs: [
        ['People', '/people'],
        [person.name, `/people/${id}`],
      ],
      content: html`<div class="card narrow">${form(
        call,
        {
          action: 'edit',
          submit: 'Save changes',
          cancel: call.link(`/people/${id}`),
          version: person.version,
        },
        (fields) => personFields(fields, person, used),
      )}</div>`,
    }
  },
})
