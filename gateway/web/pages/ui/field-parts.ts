// Parts that all form fields share, and the error messages of fields.
import type { Message } from '../../../../shared/messages/message.ts'
import type { FieldErrors } from '../../../../shared/messages/refusal.ts'
import { formatAttributes, type Html, html } from '../../../html/html.ts'
import { formatMessage } from '../../locales/translate.ts'
import type { RefusedForm } from '../page/page.ts'

export type FieldValue = string | number | null | undefined
export type FieldOptions = {
  hint?: Html | string
  required?: boolean
  /** Says when a field that is not always required may stay empty. Defaults to “optional”. */
  emptyWhen?: string
  /** The value that was entered on an earlier page and is not saved yet. It is shown instead of the saved value. */
  entered?: FieldValue
  /** What is wrong with the field, if the page finds it although the refusal has no errors. */
  problem?: Message | undefined
}
export type Field = FieldOptions & { name: string; label: string }

/** The submitted values that were refused. A search form has only the errors, because the page's address
 * contains its values. */
export type RefusedValues = Pick<RefusedForm, 'values' | 'errors'> & { isSearch?: boolean }

/** Returns the errors of fields. The API names fields by their paths, and the page shows their labels. */
export function listErrors(
  errors: FieldErrors,
  { name, label }: Field,
  labels: ReadonlyMap<string, string>,
): string[] {
  return Object.entries(errors)
    .filter(([path]) => path === name || path.startsWith(`${name}.`))
    .flatMap(([path, problems]) =>
      problems.map((each) => formatMessage(each, new Map([...labels, [path, label]]))),
    )
}

type ListedOption = { value: string | number; label: string; group?: string; isAlias?: boolean }

export function showOptions(options: ListedOption[], chosen: Set<string>): Html[] {
  const show = ({ value, label, isAlias }: ListedOption) =>
    html`<option${formatAttributes({ value: value === label ? undefined : value, selected: !isAlias && chosen.has(String(value)) })}>${label}</option>`
  const groups = [...new Set(options.map(({ group }) => group))]
  return groups.map((group) => {
    const shown = options.filter((option) => option.group === group).map(show)
    return group === undefined ? html`${shown}` : html`<optgroup label="${group}">${shown}</optgroup>`
  })
}
