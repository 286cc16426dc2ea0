// The pages that add and edit a user: the form's fields, and the conversion of their values to the input of jobs.
import { getTextField, mapTextFields, OPTIONAL_TEXTS } from '../../../../shared/imports/user-columns.ts'
import { type InputOf, jobs } from '../../../../shared/jobs/jobs.ts'
import { message } from '../../../../shared/messages/message.ts'
import { type FieldErrors, invalidFields } from '../../../../shared/messages/refusal.ts'
import { integer, object, queryNumber, text, verbatimText } from '../../../../shared/schemas/fields.ts'
import { type Content, formatAttributes, html } from '../../../html/html.ts'
import { checkInput } from '../../../server/http/middleware/validate.ts'
import { formatMessage, sentence, t } from '../../locales/translate.ts'
import { addReturnPath, backQuery, findBackPath } from '../../pages/page/back.ts'
import { definePage } from '../../pages/page/page.ts'
import { typedEmail } from '../../pages/page/typed-email.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { showFormCard } from '../../pages/ui/forms.ts'
import { findUser, listUsedAttributes, type UserDetails } from './queries.ts'
import { formatAttribute, userPages } from './user.ts'

const ATTRIBUTE_NAMES = Array.from({ length: 99 }, (_, index) => `extensionAttribute${index + 1}`)

const LINES_LENGTH_MAX = 100_000
const linesSchema = () => verbatimText({ max: LINES_LENGTH_MAX })

// The form only splits values into fields, because the job validates the fields with its own rules.
const userForm = object({
  name: text({ max: 1_000 }),
  email: text({ max: 1_000 }),
  ...mapTextFields(OPTIONAL_TEXTS, () => text({ max: 1_000 })),
  groups: linesSchema(),
  license_plates: linesSchema(),
  ...Object.fromEntries(ATTRIBUTE_NAMES.map((name) => [name, text({ max: 2_000 })])),
  new_attribute: queryNumber(integer({ min: 1, max: ATTRIBUTE_NAMES.length })),
  new_value: text({ max: 2_000 }),
})
// The form checks only the domain of the e-mail; users.create checks the other parts along with all other
// fields.
const newUserForm = userForm.shape({ email: typedEmail(text({ max: 255 })) })

export const newUserPage = definePage({
  path: '/people/new',
  title: sentence`New person`,
  section: 'People',
  query: object(backQuery),
  actions: (action) => ({
    create: action(newUserForm, async (call) => {
      const user = parseUser(call.form, call.now)
      const { data } = await call.dispatch('users.create', user)
      return {
        redirectTo: call.link(addReturnPath(call, `/people/${data.id}`)),
        notice: t`${user.name} added.`,
      }
    }),
  }),
  async show(call) {
    const back = findBackPath(call, '/people')
    const used = await listUsedAttributes(call.reads)
    const options = { action: 'create', submit: t`Add person`, cancel: call.link(back) }
    return {
      breadcrumbs: [[t`People`, back]],
      content: showFormCard(call, options, (fields) => showUserFields(fields, {}, used)),
    }
  },
})

export const editUserPage = userPages.page({
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
    // Reads from the primary: saving replaces all fields, so a lagging replica would bring old values back.
    const [user, used] = await Promise.all([
      findUser(call.services.primary, id),
      listUsedAttributes(call.reads),
    ])
    const cancel = userPages.address(call)
    const lists = { groups: user?.groups.join('\n'), license_plates: user?.plates.join('\n') }
    const values = { ...user, ...user?.attributes, ...lists }
    const options = { action: 'edit', submit: t`Save changes`, cancel, version: user?.version, values }
    return {
      title: t`Edit ${name}`,
      content: showFormCard(call, options, (fields) => showUserFields(fields, user ?? {}, used)),
    }
  },
})

type UserValues = typeof userForm.__outputType
type UserInput = InputOf<'users.create'>

/** Validates a user. Refuses invalid values with messages that use the names of the form's fields. */
function parseUser(form: UserValues, now: string): UserInput {
  const found: FieldErrors = {}
  const input = {
    name: form.name,
    email: form.email,
    ...mapTextFields(OPTIONAL_TEXTS, (name) => form[name] ?? null),
    groups: parseLines(form.groups),
    license_plates: parseLines(form.license_plates),
    extension_attributes: parseAttributes(form),
  }
  const about = { part: 'body', context: { now } } as const
  const user = checkInput(jobs['users.create'].input, input, found, about) as UserInput
  if (form.new_attribute !== undefined && !form.new_value)
    found.new_value = [message`Enter a value, or choose no attribute.`]
  if (form.new_attribute === undefined && form.new_value)
    found.new_attribute = [message`Choose an attribute for this value.`]
  if (Object.keys(found).length === 0) return user
  const fields = Object.entries(found).map(([path, problems]) => [
    path.replace(/^extension_attributes\./, ''),
    problems,
  ])
  throw invalidFields(Object.fromEntries(fields))
}

function parseLines(typed: string | undefined): string[] {
  const found = (typed ?? '').split(/[\r\n]+/).map((line) => line.trim())
  return [...new Set(found.filter((line) => line !== ''))]
}

function parseAttributes({ new_attribute, new_value, ...form }: UserValues): Record<string, string> {
  const typed = { ...form, [`extensionAttribute${new_attribute}`]: new_value } as Record<string, string>
  // Converts line ends, which browsers send as CRLF.
  return Object.fromEntries(
    ATTRIBUTE_NAMES.flatMap((name) => (typed[name] ? [[name, typed[name].replace(/\r\n/g, '\n')]] : [])),
  )
}

/** Shows the fields of a user. `used` has the attributes that at least one user has; this user's own
 * attributes are always shown. */
function showUserFields(fields: Fields, user: Partial<UserDetails>, used: readonly string[]): Content {
  const { attributes: values = {}, plates = [], groups = [] } = user
  const shown = ATTRIBUTE_NAMES.filter((name) => name in values || used.includes(name))
  const others = ATTRIBUTE_NAMES.filter((name) => !shown.includes(name))
  return [
    fields.text('name', t`Name`, { required: true, maxlength: 255 }),
    fields.text('email', t`E-mail`, { type: 'email', required: true, maxlength: 255 }),
    OPTIONAL_TEXTS.map((name) => {
      const { label, hint, charactersMax } = getTextField(name)
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
    html`<details class="more"${formatAttributes({ open: fields.isFilled('new_attribute', 'new_value') })}><summary>${t`Add an attribute`}</summary>
${fields.select('new_attribute', t`Attribute`, {
  any: t`None`,
  options: others.map((name) => ({ value: name.replace(/\D/g, ''), label: formatAttribute(name) })),
})}
${fields.text('new_value', t`Value`, { maxlength: 1024 })}</details>`,
  ]
}
