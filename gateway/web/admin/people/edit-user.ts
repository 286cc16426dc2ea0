// The pages that add and edit a user: their fields, and the conversion of the values to job input.
import { eachText, OPTIONAL_TEXTS, userText } from '../../../../shared/imports/user-columns.ts'
import { type InputOf, jobs } from '../../../../shared/jobs/jobs.ts'
import { message } from '../../../../shared/messages/message.ts'
import { type FieldErrors, invalid } from '../../../../shared/messages/refusal.ts'
import { integer, object, queryNumber, text, verbatim } from '../../../../shared/schemas/fields.ts'
import { attributes, type Content, html } from '../../../html/html.ts'
import { check } from '../../../server/http/middleware/validate.ts'
import { formatMessage, sentence, t } from '../../locales/translate.ts'
import { backPath, backQuery, withReturnPath } from '../../pages/page/back.ts'
import { page } from '../../pages/page/page.ts'
import { typedEmail } from '../../pages/page/typed-email.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { formCard } from '../../pages/ui/forms.ts'
import { findUser, listAttributes, type User } from './queries.ts'
import { formatAttribute, userPages } from './user.ts'

const ATTRIBUTES = Array.from({ length: 99 }, (_, index) => `extensionAttribute${index + 1}`)

const LINES_MAX = 100_000
const lines = () => verbatim({ max: LINES_MAX })

// The job checks these against its own rules; the form only splits them into fields.
const userForm = object({
  name: text({ max: 1_000 }),
  email: text({ max: 1_000 }),
  ...eachText(OPTIONAL_TEXTS, () => text({ max: 1_000 })),
  groups: lines(),
  license_plates: lines(),
  ...Object.fromEntries(ATTRIBUTES.map((name) => [name, text({ max: 2_000 })])),
  new_attribute: queryNumber(integer({ min: 1, max: ATTRIBUTES.length })),
  new_value: text({ max: 2_000 }),
})
// The form checks only the domain; users.create checks the rest of the address along with all other fields.
const newUserForm = userForm.shape({ email: typedEmail(text({ max: 255 })) })

export const newUser = page({
  path: '/people/new',
  title: sentence`New person`,
  section: 'People',
  query: object(backQuery),
  actions: (action) => ({
    create: action(newUserForm, async (call) => {
      const user = parseUser(call.form, call.now)
      const { data } = await call.dispatch('users.create', user)
      return {
        redirectTo: call.link(withReturnPath(call, `/people/${data.id}`)),
        notice: t`${user.name} added.`,
      }
    }),
  }),
  async show(call) {
    const back = backPath(call, '/people')
    const used = await listAttributes(call.reads)
    const options = { action: 'create', submit: t`Add person`, cancel: call.link(back) }
    return {
      breadcrumbs: [[t`People`, back]],
      content: formCard(call, options, (fields) => userFields(fields, {}, used)),
    }
  },
})

export const editUser = userPages.page({
  path: '/edit',
  title: sentence`Edit person`,
  actions: (action) => ({
    edit: action(userForm, async (call) => {
      const { id } = call.params
      await call.dispatch('users.edit', { id, version: call.version, ...parseUser(call.form, call.now) })
      return { redirectTo: userPages.address(call), notice: t`Changes saved.` }
    }),
  }),
  async show(call, { id, name }) {
    // Reads from the primary: saving replaces everything, so a lagging replica would bring old values back.
    const [user, used] = await Promise.all([findUser(call.services.primary, id), listAttributes(call.reads)])
    const cancel = userPages.address(call)
    const lists = { groups: user?.groups.join('\n'), license_plates: user?.plates.join('\n') }
    const values = { ...user, ...user?.attributes, ...lists }
    const options = { action: 'edit', submit: t`Save changes`, cancel, version: user?.version, values }
    return {
      title: t`Edit ${name}`,
      content: formCard(call, options, (fields) => userFields(fields, user ?? {}, used)),
    }
  },
})

type Form = typeof userForm.__outputType
type UserInput = InputOf<'users.create'>

/** Throws the rules that the input breaks, under the names of the form's fields. */
function parseUser(form: Form, now: string): UserInput {
  const found: FieldErrors = {}
  const input = {
    name: form.name,
    email: form.email,
    ...eachText(OPTIONAL_TEXTS, (name) => form[name] ?? null),
    groups: parseLines(form.groups),
    license_plates: parseLines(form.license_plates),
    extension_attributes: parseAttributes(form),
  }
  const about = { part: 'body', context: { now } } as const
  const user = check(jobs['users.create'].input, input, found, about) as UserInput
  if (form.new_attribute !== undefined && !form.new_value)
    found.new_value = [message`Enter a value, or choose no attribute.`]
  if (form.new_attribute === undefined && form.new_value)
    found.new_attribute = [message`Choose an attribute for this value.`]
  if (Object.keys(found).length === 0) return user
  const fields = Object.entries(found).map(([path, problems]) => [
    path.replace(/^extension_attributes\./, ''),
    problems,
  ])
  throw invalid(Object.fromEntries(fields))
}

function parseLines(typed: string | undefined): string[] {
  const found = (typed ?? '').split(/[\r\n]+/).map((line) => line.trim())
  return [...new Set(found.filter((line) => line !== ''))]
}

function parseAttributes({ new_attribute, new_value, ...form }: Form): Record<string, string> {
  const typed = { ...form, [`extensionAttribute${new_attribute}`]: new_value } as Record<string, string>
  // Browsers send line ends as CRLF.
  return Object.fromEntries(
    ATTRIBUTES.flatMap((name) => (typed[name] ? [[name, typed[name].replace(/\r\n/g, '\n')]] : [])),
  )
}

/** `used`: the attributes that any user has. This user's own attributes always show. */
function userFields(fields: Fields, user: Partial<User>, used: readonly string[]): Content {
  const { attributes: values = {}, plates = [], groups = [] } = user
  const shown = ATTRIBUTES.filter((name) => name in values || used.includes(name))
  const others = ATTRIBUTES.filter((name) => !shown.includes(name))
  return [
    fields.text('name', t`Name`, { required: true, maxlength: 255 }),
    fields.text('email', t`E-mail`, { type: 'email', required: true, maxlength: 255 }),
    OPTIONAL_TEXTS.map((name) => {
      const { label, hint, charactersMax } = userText(name)
      return fields.text(name, formatMessage(label), {
        maxlength: charactersMax,
        ...(hint && { hint: formatMessage(hint) }),
      })
    }),
    fields.area('groups', t`Groups`, {
      rows: Math.max(3, groups.length + 1),
      hint: t`One per line. Groups that do not exist yet are created.`,
    }),
    fields.area('license_plates', t`License plates`, {
      rows: Math.max(2, plates.length + 1),
      hint: t`One per line. A vehicle keeps its ID as long as its plate does not change.`,
    }),
    shown.map((name) =>
      values[name]?.includes('\n')
        ? fields.area(name, formatAttribute(name), { rows: 3 })
        : fields.text(name, formatAttribute(name), { maxlength: 1024 }),
    ),
    html`<details class="more"${attributes({ open: fields.isFilled('new_attribute', 'new_value') })}><summary>${t`Add an attribute`}</summary>
${fields.select('new_attribute', t`Attribute`, {
  any: t`None`,
  options: others.map((name) => ({ value: name.replace(/\D/g, ''), label: formatAttribute(name) })),
})}
${fields.text('new_value', t`Value`, { maxlength: 1024 })}</details>`,
  ]
}
