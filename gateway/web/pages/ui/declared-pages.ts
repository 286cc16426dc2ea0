// Pages that are declared: a list, a form, and the pages about one resource, which all find it, lead back to
// it, and answer 404 if there is none.
import type * as yup from 'yup'
import type { Message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, pathId } from '../../../../shared/schemas/fields.ts'
import { type Content, html } from '../../../html/html.ts'
import type { Listed, Slice } from '../../../reads/rows/slices.ts'
import { type Sentence, t, translate } from '../../locales/translate.ts'
import { backQuery, withReturnPath } from '../page/back.ts'
import {
  type ActionCall,
  type ActionResult,
  type Breadcrumbs,
  type Call,
  type NoFields,
  noFields,
  type Page,
  type PageSpec,
  page,
  type Redirect,
  type Schema,
  type View,
} from '../page/page.ts'
import type { Fields } from './fields.ts'
import { type FormOptions, formCard } from './forms.ts'
import { pagedTable, pageNumber, sliceOf } from './paging.ts'
import type { Column } from './parts.ts'
import { type Order, type OrderKeys, parseSort, sortChoice } from './sorting.ts'
import { pageTabs } from './tabs.ts'

type Audience = Pick<PageSpec<NoFields, NoFields>, 'path' | 'title' | 'section' | 'readers' | 'writers'>

type ListCall<Shape extends yup.ObjectShape> = Call<
  unknown,
  ReturnType<typeof object<Shape>>['__outputType'] & { page: number; sort?: string | undefined }
>

type PagedList<Row, Key extends string, Shape extends yup.ObjectShape> = {
  /** The parameters of a search, beside the order and the page. */
  query?: Shape
  /** The SQL of each key; without any, the list has one order. */
  orders?: OrderKeys<Key>
  usual?: Key | `-${Key}`
  find(call: ListCall<Shape>, slice: Slice, order: Order<Key>): Promise<Listed<Row>>
  columns(call: ListCall<Shape>): Column<Row>[] | Promise<Column<Row>[]>
  empty(call: ListCall<Shape>): Content
}

const ROWS_PER_PAGE = 50

/** What the page shows around the list. */
type ListView = Omit<View, 'content'> & { above?: Content; below?: Content }

type ListPage<Row, Key extends string, Shape extends yup.ObjectShape> = Audience &
  Pick<PageSpec<NoFields, NoFields>, 'downloads'> &
  PagedList<Row, Key, Shape> & { view(call: ListCall<Shape>): ListView | Promise<ListView> }

export function listPage<Row, Key extends string = never, Shape extends yup.ObjectShape = yup.ObjectShape>({
  view,
  orders,
  usual = '' as Key,
  ...spec
}: ListPage<Row, Key, Shape>): Page {
  const sort = orders && { sort: sortChoice(orders) }
  return page({
    ...spec,
    query: object({ ...spec.query, ...sort, page: pageNumber() }),
    async show(from) {
      const call = from as unknown as ListCall<Shape>
      const order = parseSort(call.query.sort as Key | undefined, usual)
      const [{ above, below, ...shown }, columns, found] = await Promise.all([
        view(call),
        spec.columns(call),
        spec.find(call, sliceOf(call.query.page, ROWS_PER_PAGE), order),
      ])
      const table = pagedTable(call, {
        caption: translate(spec.title),
        columns,
        found,
        rowsPerPage: ROWS_PER_PAGE,
        page: call.query.page,
        ...(orders && { order }),
        empty: spec.empty(call),
      })
      return { ...shown, content: html`${above}${table}${below}` }
    },
  })
}

type FormPage<Found, Params extends Schema, Query extends Schema, Form extends Schema> = Audience & {
  query?: Query
  /** The name of the form's action. */
  action: string
  form?: Form
  /** The heading; defaults to the title of the page. */
  heading?(found: Found): string
  /** A paragraph above the form. */
  intro?(found: Found): Content
  fields?(fields: Fields, found: Found, call: Call): Content
  /** Defaults to the title of the page. */
  submit?: Sentence
  tone?: FormOptions['tone']
  /** The label of the link that leaves the form, if “Cancel” or “Keep it” does not fit. */
  cancelLabel?: Sentence
  act(
    call: ActionCall<yup.InferType<Params>, yup.InferType<Query>, yup.InferType<Form>>,
  ): Promise<ActionResult>
}

type Finding<Found, Params extends Schema> = {
  params?: Params
  missing?: Message
  /** What the form is filled with. */
  find(call: Call<yup.InferType<Params>>): Promise<Found> | Found
  /** The form can be left for the last of these pages. */
  breadcrumbs(found: Found, call: Call<yup.InferType<Params>>): Breadcrumbs
}

/** A page that is a form. With the tone `danger`, it asks before something irreversible. */
export function formPage<
  Found,
  Params extends Schema = NoFields,
  Query extends Schema = NoFields,
  Form extends Schema = NoFields,
>(spec: Finding<Found, Params> & FormPage<Found, Params, Query, Form>): Page {
  const { action, tone, heading, intro, fields, submit = spec.title } = spec
  const form = spec.form ?? (noFields as unknown as Form)
  return page<Params, Query>({
    ...spec,
    actions: (make) => ({ [action]: make(form, (call) => spec.act(call)) }),
    async show(call) {
      const found = await spec.find(call)
      const breadcrumbs = spec.breadcrumbs(found, call)
      const options = {
        action,
        tone,
        submit: translate(submit),
        cancel: call.link(breadcrumbs.at(-1)?.[1] ?? '/'),
        cancelLabel: spec.cancelLabel
          ? translate(spec.cancelLabel)
          : tone === 'danger'
            ? t`Keep it`
            : undefined,
      }
      const content = intro?.(found)
      return {
        title: heading?.(found),
        breadcrumbs,
        content: formCard(
          call,
          options,
          (own) => fields?.(own, found, call),
          content && html`<p>${content}</p>`,
        ),
      }
    },
  })
}

type WithId = { id: number }
const byId = object({ id: pathId() })

type Resource<Found> = Omit<Audience, 'title'> & {
  missing: Message
  find(call: Call<WithId>): Promise<Found | undefined>
  /** The pages above its own page. */
  above(found: Found, call: Call<WithId>): Breadcrumbs
  /** The label of its own page, if it has one. */
  nameOf?(found: Found): string
  /** Its pages that are tabs: what their paths add to its own, and their labels. */
  tabs?: ReadonlyArray<readonly [below: string, label: Sentence]>
}

// Their links and forms lead back to the search that the user came from.
const returning = object(backQuery)
type Returning = typeof returning

type ResourcePage<Found, Query extends Schema> = Omit<
  PageSpec<typeof byId, Query>,
  'path' | 'section' | 'params' | 'missing' | 'show'
> & {
  /** The path below the own page. */
  path?: string
  show(call: Call<WithId, yup.InferType<Query>>, found: Found): Promise<View | Redirect> | View
}

/** Declares the own page of a resource (`page`), and forms at paths below it (`form`), whose `breadcrumbs` name it. */
export function resource<Found>(declared: Resource<Found>) {
  const { path, above, nameOf, tabs = [] } = declared
  const shared = { ...declared, params: byId }
  /** The address of the own page, or of one below it. */
  const address = (call: Call<WithId>, below = '') =>
    call.link(withReturnPath(call, path.replace('{id}', String(call.params.id)) + below))
  async function require(call: Call<WithId>): Promise<Found> {
    const found = await declared.find(call)
    if (found === undefined) throw new Refusal('not_found', declared.missing)
    return found
  }
  function breadcrumbs(found: Found, call: Call<WithId>): Breadcrumbs {
    const own = withReturnPath(call, path.replace('{id}', String(call.params.id)))
    return nameOf ? [...above(found, call), [nameOf(found), own]] : above(found, call)
  }
  return {
    require,
    breadcrumbs,
    address,
    page: <Query extends Schema = Returning>(spec: ResourcePage<Found, Query>): Page =>
      page<typeof byId, Query>({
        ...shared,
        query: returning as unknown as Query,
        ...spec,
        path: path + (spec.path ?? ''),
        async show(call) {
          const found = await require(call)
          const view = await spec.show(call, found)
          if ('redirectTo' in view) return view
          const current = spec.path ?? ''
          if (!tabs.some(([below]) => below === current))
            return { breadcrumbs: (spec.path ? breadcrumbs : above)(found, call), ...view }
          const title = nameOf?.(found) ?? ''
          const items = tabs.map(([below, label]) => {
            return { label: translate(label), address: address(call, below), isCurrent: below === current }
          })
          const content = html`${pageTabs(title, items)}${view.content}`
          return { title, breadcrumbs: above(found, call), ...view, content }
        },
      }),
    /** `find` may add to what the form is about. */
    form: <Query extends Schema = Returning, Form extends Schema = NoFields, Filled extends Found = Found>(
      spec: FormPage<Filled, typeof byId, Query, Form> & Partial<Finding<Filled, typeof byId>>,
    ): Page => {
      const find = require as (call: Call<WithId>) => Promise<Filled>
      const query = returning as unknown as Query
      return formPage({ ...shared, find, breadcrumbs, query, ...spec, path: path + spec.path })
    },
  }
}
