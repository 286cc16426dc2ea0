// Defines pages of the dashboard and their actions. Each is declared once, and dashboard.ts does the rest:
// signing in, form tokens, invalid fields and notices.
import type pg from 'pg'
import type * as yup from 'yup'
import type { Role } from '../../../../shared/administrators/roles.ts'
import type { AcceptedJobName, InputOf, JobName, Outcome, ReplyOf } from '../../../../shared/jobs/jobs.ts'
import { type Message, message } from '../../../../shared/messages/message.ts'
import type { FieldErrors, RefusalCode } from '../../../../shared/messages/refusal.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import type { FileReply } from '../../../../shared/users/users.ts'
import { Html } from '../../../html/html.ts'
import type { DispatchOptions, Origin } from '../../../queue/dispatch.ts'
import type { Upload } from '../../../server/services/context.ts'
import type { Services } from '../../../server/services/services.ts'
import type { Sentence } from '../../locales/translate.ts'
import type { Attempt, IdentityProvider } from '../../sessions/provider.ts'
import type { Admin, Device, Person, Viewer } from '../../sessions/sessions.ts'
import type { SignIns } from '../../sessions/sign-ins.ts'
import type { LiveContent } from './live-parts.ts'
import type { MySectionName } from './my-sections.ts'
import type { Notice } from './notices.ts'
import type { RefusedQuery } from './refused-query.ts'
import type { SectionName } from './sections.ts'

export type Schema = yup.AnySchema
export const noFields = object({})
export type NoFields = typeof noFields

/** A form that was submitted and refused. It is shown again with what was typed and what is wrong. */
export type RefusedForm = {
  action: string
  key: string
  code: RefusalCode
  values: Record<string, string[]>
  errors: FieldErrors
  detail: Message
  /** The same id again if the outcome is unknown, so that sending the form twice acts once at most. */
  submissionId: string | undefined
  /** The form sets it when it shows the refusal. The page of a stale tab may no longer have this form. */
  isShown: boolean
}

/** A request for a page, as its functions see it. */
export type Call<Params = unknown, Query = unknown> = {
  params: Params
  query: Query
  /** The signed-in administrator. Pages for everybody must not call this. */
  requireAdmin(): Admin
  /** The person who has signed in to their own pages. */
  requirePerson(): Person
  /** Whether the viewer may act here; if not, forms are shown as plain facts. */
  mayWrite: boolean
  viewer: Viewer
  device: Device
  now: string
  baseUrl: string
  requestId: string
  services: Services
  signIns: SignIns
  /** Undefined without single sign-on. */
  provider: IdentityProvider | undefined
  /** For what the page shows: a server that has this administrator's latest changes. */
  reads: pg.Pool
  /** Where the pages are mounted: /dashboard or /my. */
  base: string
  /** The address of a page. `path` is relative to where the pages are mounted. */
  link(path: string, query?: Record<string, string | number | undefined | null>): string
  /** The address of this page with other query parameters. */
  linkHere(changes?: Record<string, string | number | undefined | null>): string
  /** A part of this page that stays up to date. */
  live(name: string): Promise<Html>
  /**
   * The attributes that make an element such a part: only the elements in it that are marked `data-slot` are
   * updated.
   */
  liveAttributes(name: string): Html
  /** The address of a download of this page. */
  download(name: string): string
  refusedForm: RefusedForm | undefined
  /** The schema of an action's form. */
  formOf(action: string): Schema | undefined
  /** The query parameters that break a rule, which `query` does not contain. */
  refusedQuery: RefusedQuery | undefined
}

export type ActionCall<Params = unknown, Query = unknown, Form = unknown> = Call<Params, Query> & {
  form: Form
  upload: Upload | undefined
  /** The version that the form was filled from, if it has one. */
  version: string | undefined
  /** A secret that only this form can derive. Sending the form again derives the same secret. */
  deriveSecret(purpose: string): Buffer
  /** Hands a write to the workers. Returns their reply, or throws their refusal. */
  dispatch<Name extends JobName>(
    name: Name,
    input: InputOf<Name>,
    options?: DispatchOptions,
  ): Promise<ReplyOf<Name>>
  /** The last attempt that was dispatched; undefined before the first. */
  lastAttempt(): string | undefined
  /** Undo of the notice also undoes these writes of the action. */
  undoTogether(attempts: string[]): void
  /** Hands over long work without waiting for it. The same key means the same job. */
  accept<Name extends AcceptedJobName>(
    name: Name,
    input: InputOf<Name>,
    key?: string,
  ): Promise<{ id: string; replayed: boolean }>
  /** Gives the browser the session of this secret; undefined signs it out. */
  setSession(secret: string | undefined): void
  /** The page that the user asked for before they had to sign in; else the first one. */
  takeNext(): string
  /** Allows the browser to come back from the provider with an answer to this attempt. */
  storeAttempt(attempt: Attempt): void
  /** Failed attempts elsewhere at this account then do not keep this browser from signing in. */
  rememberBrowser(account: { id: number; passwordHash: string }): void
}

/** The pages above one: label and path. */
export type Breadcrumbs = Array<[label: string, path: string]>

/** What a page shows. Its title defaults to the page's title. */
export type View = {
  title?: string
  lead?: Html | string
  /** Links and buttons next to the title. */
  tools?: Html | null
  breadcrumbs?: Breadcrumbs
  /** The page itself shows what is down and keeps it up to date, so the layout does not. */
  showsSystemStatus?: true
  content: Html
}

/** The page shows nothing itself, but redirects to another page. */
export type Redirect = { redirectTo: string }

/**
 * Where an action leads: to a page that shows the notice, to a view that is shown only once, or to another
 * site, through a page of ours that says so.
 */
export type ActionResult =
  | { redirectTo: string; notice?: string; tone?: Notice['tone']; more?: Notice['more'] }
  | { show: View }
  | { externalRedirectTo: string; show: View; notice?: string }

export type Action = {
  form: Schema
  /** The form has a file, which is stored before the action begins: `call.upload`. */
  takesFile: boolean
  act(call: ActionCall): Promise<ActionResult>
}

/** A file that a worker writes while it is sent. */
export type Download = {
  name: string
  contentType: string
  dispatch(origin: Origin, options: DispatchOptions): Promise<Outcome<FileReply>>
}

export type LivePart<PageCall = Call> = {
  everySeconds: number
  show(call: PageCall): Promise<LiveContent> | LiveContent
}

export type Page = {
  path: string
  title: Sentence
  /** The section of the navigation that the page belongs to, if any. */
  section: SectionName | MySectionName | undefined
  access: 'signed-in' | 'everybody'
  /** The lowest role that may see the page, and the lowest that may use its actions and downloads. */
  readers: Role
  writers: Role
  params: Schema
  query: Schema
  /** The message if the path matches nothing. */
  missing: Message
  actions: Record<string, Action>
  /** A larger limit for the forms of a page for everybody, which are otherwise short. */
  formBytesMax: number | undefined
  live: Record<string, LivePart>
  downloads: Record<string, (call: Call) => Promise<Download> | Download>
  show(call: Call): Promise<PageResult> | PageResult
}

type PageResult = View | Html | Redirect

type MakeAction<Params, Query> = <Form extends Schema>(
  form: Form,
  act: (call: ActionCall<Params, Query, yup.InferType<Form>>) => Promise<ActionResult>,
  options?: { takesFile?: boolean },
) => Action

export type PageSpec<
  Params extends Schema,
  Query extends Schema,
  PageCall = Call<yup.InferType<Params>, yup.InferType<Query>>,
> = Pick<Page, 'path' | 'title'> &
  Partial<Pick<Page, 'section' | 'access' | 'missing' | 'formBytesMax'>> & {
    /** The default is administrators, so that a new page is not open to the wrong people. */
    readers?: Role
    writers?: Role
    params?: Params
    query?: Query
    /** By name; a form contains the name of its action. */
    actions?: (action: MakeAction<yup.InferType<Params>, yup.InferType<Query>>) => Page['actions']
    /** By name; shown with `await call.live(name)`. */
    live?: Record<string, LivePart<PageCall>>
    /** By name; `call.download(name)` is the address. */
    downloads?: Record<string, (call: PageCall) => Promise<Download> | Download>
    show(call: PageCall): Promise<PageResult> | PageResult
  }

export function page<Params extends Schema = NoFields, Query extends Schema = NoFields>(
  spec: PageSpec<Params, Query>,
): Page {
  const least = spec.access === 'everybody' ? 'reader' : 'administrator'
  return {
    ...(spec as Pick<Page, 'path' | 'title' | 'show'>),
    section: spec.section,
    formBytesMax: spec.formBytesMax,
    access: spec.access ?? 'signed-in',
    readers: spec.readers ?? least,
    writers: spec.writers ?? least,
    params: spec.params ?? noFields,
    query: spec.query ?? noFields,
    missing: spec.missing ?? message`There is no such page.`,
    live: (spec.live ?? {}) as Page['live'],
    downloads: (spec.downloads ?? {}) as Page['downloads'],
    actions:
      spec.actions?.((form, act, { takesFile = false } = {}) => ({ form, act, takesFile }) as Action) ?? {},
  }
}

/** Looks up a name that a client sent: “constructor” is a property of every object, but not a name here. */
export function findNamed<Part>(parts: Record<string, Part>, name: string): Part | undefined {
  return Object.hasOwn(parts, name) ? parts[name] : undefined
}

/** A page may return only HTML instead of a view. */
export function toView(result: View | Html): View {
  return result instanceof Html ? { content: result } : result
}
