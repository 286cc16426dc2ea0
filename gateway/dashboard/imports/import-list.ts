// What a list that is imported says of itself: the pages of its imports are made from this alone.
import type * as yup from 'yup'
import type { ImportCounts } from '../../../shared/contracts/users.ts'
import type { AcceptedJobName } from '../../../shared/jobs.ts'
import type { Message } from '../../../shared/messages/message.ts'
import type { Content, Html } from '../../http/html.ts'
import type { ActionCall, Call, SectionName } from '../framework/page.ts'
import type { Sentence } from '../language/translate.ts'
import type { Fields } from '../ui/fields.ts'
import type { ImportPlan, ImportPlanRow, ImportPlanSection, ImportRow } from './queries.ts'

export type Breadcrumbs = Array<[label: string, path: string]>
type Accepted = Promise<{ id: string; replayed: boolean }>

/** What the jobs of a list are asked. `Scope`: where its rows belong. */
export type ImportInput<Scope, Form extends yup.AnySchema> = Scope &
  yup.InferType<Form> & { file_id: string; filename: string }

/** What shows a plan of the list. */
export type PlannedList = {
  /** The page of an import is at this path and its id. */
  reviewPath: string
  /** The sections of a plan, as tabs. */
  sections: readonly ImportPlanSection[]
  nothingNew: Sentence
  /** The page of what a row is about. */
  pathOf(row: ImportPlanRow): string | undefined
  fields: ShownFields
}

/** `Params` are those of the start page, `Form` is what it asks beside the file. */
export type ImportList<
  Scope extends object,
  Params extends yup.AnySchema,
  Form extends yup.AnySchema,
> = PlannedList & {
  section: SectionName
  jobs: {
    /** Those that the start page shows. */
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
    /** Stands above the imports that are shown. */
    notice?(call: Call, rows: ImportRow[]): Promise<Content>
  }
  startPath(scope: Scope): string
  /** The pages between the section and the start page; undefined where the scope is no longer there. */
  findAbove(call: Call, scope: Scope): Promise<Breadcrumbs | undefined>
  words: {
    lead(row: ImportRow<ImportInput<Scope, Form>>, started: Html, above: Breadcrumbs | undefined): Content
    counts(counts: ImportCounts, isDone: boolean): string
    stale: Sentence
  }
  /** What leads on from an import that was applied. */
  showNext(call: Call, scope: Scope, counts: ImportCounts): Content
  /** Which of its columns each heading is. */
  columnsOf(header: string[]): Array<string | undefined>
  /** Stands beside the decision. */
  showHint?(input: ImportInput<Scope, Form>, plan: ImportPlan): Content
}

export type ShownFields = {
  /** In the order in which they are shown; a field that is missing here comes last, under its own name. */
  names: Record<string, Sentence>
  show(field: string, value: unknown): Content
  /** Errors name the field, and not the column as the file has it. */
  errorsNameFields?: true
}
