// The description of a list that can be imported. The import pages are built from it alone.
import type * as yup from 'yup'
import type { AcceptedJobName } from '../../../shared/jobs/jobs.ts'
import type { Message } from '../../../shared/messages/message.ts'
import type { ImportCounts } from '../../../shared/users/users.ts'
import type { Content, Html } from '../../http/html.ts'
import type { ActionCall, Call, SectionName } from '../kit/page.ts'
import type { Sentence } from '../locales/translate.ts'
import type { Fields } from '../ui/fields.ts'
import type { ImportPlan, ImportPlanRow, ImportPlanSection, ImportRow } from './queries.ts'

export type Breadcrumbs = Array<[label: string, path: string]>
type Accepted = Promise<{ id: string; replayed: boolean }>

/** The input of the jobs of a list. `Scope`: where its rows belong. */
export type ImportInput<Scope, Form extends yup.AnySchema> = Scope &
  yup.InferType<Form> & { file_id: string; filename: string }

/** How to show a plan of the list. */
export type PlannedList = {
  /** The page of an import is at this path followed by its id. */
  reviewPath: string
  /** The sections of a plan, as tabs. */
  sections: readonly ImportPlanSection[]
  nothingNew: Sentence
  /** The page of the user or bookable of a row. */
  pathOf(row: ImportPlanRow): string | undefined
  fields: ShownFields
}

/** `Params` are those of the start page; `Form` has its fields other than the file. */
export type ImportList<
  Scope extends object,
  Params extends yup.AnySchema,
  Form extends yup.AnySchema,
> = PlannedList & {
  section: SectionName
  jobs: {
    /** The jobs that the start page shows. */
    names: readonly AcceptedJobName[]
    plan(call: ActionCall, input: ImportInput<Scope, Form>): Accepted
    apply(call: ActionCall, input: ImportInput<Scope, Form> & { plan_id: string }): Accepted
    errors: Extract<AcceptedJobName, `${string}.export-refused`>
  }
  start: {
    title: Sentence
    path: string
    params: Params
    missing: Message
    scopeOf(params: yup.InferType<Params>): Scope
    form: Form
    fields(call: Call, fields: Fields): Content
    /** Shown above the list of imports. */
    notice?(call: Call, rows: ImportRow[]): Promise<Content>
  }
  startPath(scope: Scope): string
  /** The pages between the section and the start page; undefined if the scope no longer exists. */
  findAbove(call: Call, scope: Scope): Promise<Breadcrumbs | undefined>
  words: {
    lead(row: ImportRow<ImportInput<Scope, Form>>, started: Html, above: Breadcrumbs | undefined): Content
    counts(counts: ImportCounts, isDone: boolean): string
    stale: Sentence
  }
  /** The links to follow after an import was applied. */
  showNext(call: Call, scope: Scope, counts: ImportCounts): Content
  /** The column of the list that each heading stands for. */
  columnsOf(header: string[]): Array<string | undefined>
  /** Shown next to the decision. */
  showHint?(input: ImportInput<Scope, Form>, plan: ImportPlan): Content
}

export type ShownFields = {
  /** In display order; a field that is missing here comes last, under its own name. */
  names: Record<string, Sentence>
  show(field: string, value: unknown): Content
  /** Errors name the field, not the heading in the file. */
  errorsNameFields?: true
}
