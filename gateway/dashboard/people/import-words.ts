// Sentences about what an import of people will do, and what it did.

import { isReasonsColumn } from '../../../shared/imports/user-columns.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import type { ImportCounts } from '../../../shared/users/users.ts'
import { type Html, html } from '../../http/html.ts'
import { plural, type Sentence, sentence, t, translate } from '../locales/translate.ts'
import { formatList, formatNumber } from '../ui/words.ts'

type Options = Pick<InputOf<'users.import'>, 'update' | 'restore' | 'deactivate' | 'key_column'>

const MATCHED_BY: Record<Options['key_column'], Sentence> = {
  email: sentence`People are matched by e-mail.`,
  id: sentence`People are matched by ID.`,
  upn: sentence`People are matched by UPN.`,
}

export function describeOptions({ update, restore, deactivate, key_column: key }: Options): string {
  const asked = [
    t`adds new people`,
    ...(update ? [t`updates existing ones`] : []),
    ...(restore ? [t`restores deactivated ones`] : []),
    ...(deactivate ? [t`deactivates people who are not in the file`] : []),
  ]
  return `${t`This import ${formatList(asked)}.`} ${translate(MATCHED_BY[key])}`
}

export function describeCounts(counts: ImportCounts, isDone: boolean): string {
  const sentences = [
    describePeople(counts, isDone),
    [
      ...(counts.skip > 0 ? [plural(counts.skip, '# row skipped', '# rows skipped')] : []),
      ...(counts.error > 0 ? [plural(counts.error, '# row with errors', '# rows with errors')] : []),
    ].join(', '),
  ]
  return sentences
    .filter(Boolean)
    .map((each) => `${each}.`)
    .join(' ')
}

export function showDeactivation(counts: ImportCounts, header: string[]): Html | false {
  const refused = describeRefusedDeactivation(counts, header)
  if (refused !== undefined)
    return html`<div class="notice warn"><p><strong>${t`Nobody will be deactivated.`}</strong> ${refused}</p></div>`
  const kept = describeKept(counts)
  return kept !== undefined && html`<p>${kept}</p>`
}

/** Why nobody is deactivated, although the administrator asked for it. */
function describeRefusedDeactivation({ unmatched }: ImportCounts, header: string[]): string | undefined {
  const reasons = header.find(isReasonsColumn)
  if (reasons !== undefined)
    return t`The file has the column “${reasons.trim()}”: it holds rows that another import refused, and does not list everybody. To deactivate people, import the whole list without this column.`
  if (unmatched === 0) return undefined
  return plural(
    unmatched,
    '# row with errors matches no known person, and could be anybody’s. Fix this row first, and import the whole list again.',
    '# rows with errors match no known person, and could be anybody’s. Fix these rows first, and import the whole list again.',
  )
}

/** People whose only rows are refused: the rows change nothing, but keep them from being deactivated. */
function describeKept({ kept }: ImportCounts): string | undefined {
  if (kept === 0) return undefined
  return plural(
    kept,
    '# person is only in a row with errors, and is not deactivated.',
    '# people are only in rows with errors, and are not deactivated.',
  )
}

type Told = { ahead(count: number): string; done(count: number): string; also(count: number): string }

const CHANGES = ['create', 'change', 'deactivate'] as const
const TOLD: Record<(typeof CHANGES)[number], Told> = {
  create: {
    ahead: (count) => plural(count, '# person will be added', '# people will be added'),
    done: (count) => plural(count, '# person was added', '# people were added'),
    also: (count) => t`${formatNumber(count)} added`,
  },
  change: {
    ahead: (count) => plural(count, '# person will be changed', '# people will be changed'),
    done: (count) => plural(count, '# person was changed', '# people were changed'),
    also: (count) => t`${formatNumber(count)} changed`,
  },
  deactivate: {
    ahead: (count) => plural(count, '# person will be deactivated', '# people will be deactivated'),
    done: (count) => plural(count, '# person was deactivated', '# people were deactivated'),
    also: (count) => t`${formatNumber(count)} deactivated`,
  },
}

/** “2 people will be added, 1 changed and 3 deactivated”. */
function describePeople(counts: ImportCounts, isDone: boolean): string {
  const parts = CHANGES.filter((each) => counts[each] > 0).map((each, index) => {
    const { ahead, done, also } = TOLD[each]
    const tell = index > 0 ? also : isDone ? done : ahead
    return tell(counts[each])
  })
  return formatList(parts)
}
