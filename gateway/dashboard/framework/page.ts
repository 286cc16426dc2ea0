// What a page of the dashboard is, and what an action of it. Each is declared once; dashboard.ts does the rest:
// signing in, tokens of forms, fields that break a rule, what is said afterwards.
import type pg from 'pg'
import type * as yup from 'yup'
import type { Role } from '../../../shared/contracts/administrators/roles.ts'
import { object } from '../../../shared/contracts/fields.ts'
import type { FileReply } from '../../../shared/contracts/users.ts'
import type { AcceptedJobName, InputOf, JobName, Outcome, ReplyOf } from '../../../shared/jobs.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import type { FieldErrors, RefusalCode } from '../../../shared/refusal.ts'
import type { Upload } from '../../context.ts'
import { Html } from '../../http/html.ts'
import type { DispatchOptions, Origin } from '../../jobs/dispatch.ts'
import type { Services } from '../../services.ts'
import { type Sentence, sentence } from '../language/translate.ts'
import type { LiveContent } from './live-parts.ts'
import type { RefusedQuery } from './refused-query.ts'
import type { Admin, Device, Viewer } from './sessions/sessions.ts'
import type { SignIns } from './sessions/sign-ins.ts'
import type { Attempt } from './single-sign-on/attempts.ts'
import type { IdentityProvider } from './single-sign-on/provider.ts'

/** Under one name for the code, whatever the visitor reads. */
export const SECTIONS = [
  { name: 'Today', label: sentence`Today`, path: '/' },
  { name: 'Places', label: sentence`Places`, path: '/places' },
  { name: 'Bookings', label: sentence`Bookings`, path: '/bookings' },
  { name: 'Events', label: sentence`Events`, path: '/events' },
  { name: 'People', label: sentence`People`, path: '/people' },
  { name: 'Reports', label: sentence`Reports`, path: '/reports' },
  { name: 'Queues', label: sentence`Queues`, path: '/queue-health' },
  { name: 'Audit log', label: sentence`Audit log`, path: '/audit-log' },
  { name: 'API', label: sentence`API`, path: '/api' },
  { name: 'Settings', label: sentence`Settings`, path: '/settings' },
] as const
export type SectionName = (typeof SECTIONS)[number]['name']

type Schema = yup.AnySchema
const noFields = object({})
type NoFields = typeof noFields

/** A form that came and was refused: it is shown again with what was typed and what is wrong with it. */
export type RefusedForm = {
  action: string
  key: string
  code: RefusalCode
  values: Record<string, string[]>
  errors: FieldErrors
  detail: Message
  /** The same again where it is not known what became of it: sent twice, it happens once at most. */
  submissionId: string | undefined
}

/** A request for a page, as its functions see it. */
export type Call<Params = unknown, Query = unknown> = {
  params: Params
  query: Query
  /** Who is signed in; pages for everybody must not ask. */
  requireAdmin(): Admin
  /** Whether whoever looks may act here; forms are shown as what they say otherwise. */
  mayWrite: boolean
  viewer: Viewer
  device: Device
  now: string
  baseUrl: string
  requestId: string
  services: Services
  signIns: SignIns
  /** Undefined where nobody signs in through one. */
  provider: IdentityProvider | undefined
  /** For what is shown: of a server that has what this administrator has changed. */
  reads: pg.Pool
  /** The address of a page: `path` is below the dashboard. */
  link(path: string, query?: Record<string, string | number | undefined | null>): string
  /** The address of this page, with other parameters in its query. */
  linkHere(changes?: Record<string, string | number | undefined | null>): string
  /** A part of this page that keeps itself up to date. */
  live(name: string): Promise<Html>
  /** What makes an element such a part: those in it that are marked `data-slot` are renewed, and nothing else of it. */
  liveAttributes(name: string): Html
  /** The address of a file of this page. */
  download(name: string): string
  refusedForm: RefusedForm | undefined
  /** What of the query breaks a rule, and is absent from it. */
  refusedQuery: RefusedQuery | undefined
}

export type ActionCall<Params = unknown, Query = unknown, Form = unknown> = Call<Params, Query> & {
  form: Form
  upload: Upload | undefined
  /** The version that the form was filled from, of a form that has one. */
  version: string | undefined
  /** A secret that this very form makes, and makes again when it is sent again. Nobody else can. */
  deriveSecret(purpose: string): Buffer
  /** Hands a write to the workers. Returns their reply; throws what they refuse. */
  dispatch<Name extends JobName>(
    name: Name,
    input: InputOf<Name>,
    options?: DispatchOptions,
  ): Promise<ReplyOf<Name>>
  /** Hands over what takes long, without waiting for it. The same key is the same job. */
  accept<Name extends AcceptedJobName>(
    name: Name,
    input: InputOf<Name>,
    key?: string,
  ): Promise<{ id: string; replayed: boolean }>
  /** From here on the browser has the session of this secret; undefined signs out. */
  setSession(secret: string | undefined): void
  /** From here on the browser may come back from the provider with an answer to it. */
  storeAttempt(attempt: Attempt): void
  /** Whoever fails at this account elsewhere does not keep this browser from signing in. */
  rememberBrowser(account: { id: number; passwordHash: string }): void
}

/** What a page shows. Its title is the page's own unless it says another. */
export type View = {
  title?: string
  lead?: Html | string
  /** Links and buttons beside the title. */
  tools?: Html | null
  /** The pages above this one: label and path. */
  breadcrumbs?: Array<[label: string, path: string]>
  /** Says itself what is down, and keeps it up to date: the layout does not say it too. */
  showsSystemStatus?: true
  content: Html
}

/** Shows nothing itself: the address of the page that does. */
export type Redirect = { redirectTo: string }

/**
 * Where an action leads: to a page, which shows the notice, to something that is shown only now, or to a page of somebody else,
 * by way of a page of ours that says so.
 */
export type ActionResult =
  | { redirectTo: string; notice?: string }
  | { show: View }
  | { leaveFor: string; show: View; notice?: string }

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

export type LivePart = { everySeconds: number; show(call: Call): Promise<LiveContent> | LiveContent }

export type Page = {
  path: string
  title: Sentence
  /** Where the navigation shows it; without one it belongs to none. */
  section: SectionName | undefined
  access: 'admin' | 'everybody'
  /** The least role that sees it, and that acts on it and gets its files. */
  readers: Role
  writers: Role
  params: Schema
  query: Schema
  /** What is said when the path names nothing. */
  missing: Message
  actions: Record<string, Action>
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

type Spec<Params extends Schema, Query extends Schema, PageCall> = {
  path: string
  title: Sentence
  section?: SectionName
  access?: Page['access']
  /** Administrators, where nothing is said: so a new page is for nobody who should not have it. */
  readers?: Role
  writers?: Role
  params?: Params
  query?: Query
  missing?: Message
  /** By name; a form names the action that it is for. */
  actions?: (action: MakeAction<yup.InferType<Params>, yup.InferType<Query>>) => Record<string, Action>
  /** By name; shown with `await call.live(name)`. */
  live?: Record<string, { everySeconds: number; show(call: PageCall): Promise<LiveContent> | LiveContent }>
  /** By name; `call.download(name)` is the address. */
  downloads?: Record<string, (call: PageCall) => Promise<Download> | Download>
  show(call: PageCall): Promise<PageResult> | PageResult
}

export function page<Params extends Schema = NoFields, Query extends Schema = NoFields>(
  spec: Spec<Params, Query, Call<yup.InferType<Params>, yup.InferType<Query>>>,
): Page {
  const makeAction: MakeAction<yup.InferType<Params>, yup.InferType<Query>> = (form, act, options = {}) => ({
    form,
    takesFile: options.takesFile ?? false,
    act: act as Action['act'],
  })
  const least = spec.access === 'everybody' ? 'reader' : 'administrator'
  return {
    path: spec.path,
    title: spec.title,
    section: spec.section,
    access: spec.access ?? 'admin',
    readers: spec.readers ?? least,
    writers: spec.writers ?? least,
    params: spec.params ?? noFields,
    query: spec.query ?? noFields,
    missing: spec.missing ?? message`There is no such page.`,
    actions: spec.actions?.(makeAction) ?? {},
    live: (spec.live ?? {}) as Page['live'],
    downloads: (spec.downloads ?? {}) as Page['downloads'],
    show: spec.show as Page['show'],
  }
}

/** What a page has under a name that somebody sent: “constructor” is in every object, and names nothing. */
export function findNamed<Part>(parts: Record<string, Part>, name: string): Part | undefined {
  return Object.hasOwn(parts, name) ? parts[name] : undefined
}

/** A page that shows HTML only is a view without further words. */
export function toView(result: View | Html): View {
  return result instanceof Html ? { content: result } : result
}
