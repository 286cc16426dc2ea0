// Sends several valid requests about the same few resources at the same moment, and checks every answer. None of the requests
// is spoiled, so a 5xx means that one write changed what another one was about to use.
import { setTimeout as wait } from 'node:timers/promises'
import { Random } from '../../harness/random.ts'
import {
  type Campus,
  createCampus,
  REQUESTS_IN_BUILDINGS,
  REQUESTS_OUTSIDE_BUILDINGS,
} from '../../support/campus.ts'
import { createUser } from '../../support/factories.ts'
import { Client } from '../../support/http/http.ts'
import { openApiOf } from '../../support/http/openapi.ts'
import { judge } from '../judge.ts'
import type { Stage } from '../stage/stage.ts'
import { Sender } from '../wire/sender.ts'
import type { Dictionary } from './dictionary.ts'
import { encodeDraft, setHeader, type WireRequest } from './draft.ts'
import { countAnswer, type RequestsReport, sendUntilDecided } from './run-requests.ts'
import { createValidDraft, isLong, listOperations, type Target } from './valid.ts'

type RacesOptions = { stage: Stage; seed: number; from: number; count: number; clients: number }

const REQUESTS_MIN = 4
const REQUESTS_MAX = 8
const READ_SHARE = 0.1
// The share of requests about the same kind of resource as the deletion of a race. Such requests disturb each other most often.
const SAME_KIND_SHARE = 0.6
// A write takes about as long as this, so some requests arrive while a worker performs another one.
const DELAY_MS_MAX = 8
const REQUESTS = { ...REQUESTS_OUTSIDE_BUILDINGS, ...REQUESTS_IN_BUILDINGS }

export async function runRaces({ stage, seed, from, count, clients }: RacesOptions): Promise<RequestsReport> {
  const { document } = await openApiOf(stage.url)
  const targets = listOperations(document).filter(
    (target) => !isLong(target) && !/\{secret\}|jobs/.test(target.template),
  )
  const report: RequestsReport = { findings: [], answers: new Map(), passed: 0 }
  let next = from
  const race = async () => {
    while (next < from + count) {
      const number = next++
      const random = new Random(seed * 1_000_003 + number * 7_919 + 3)
      const requests = await createRequests(stage, targets, random, number)
      await Promise.all(requests.map((request) => send(stage, request, random.below(DELAY_MS_MAX), report)))
    }
  }
  await Promise.all(Array.from({ length: clients }, race))
  report.findings.push(...stage.takeErrors())
  return report
}

async function send(
  { url }: Stage,
  request: WireRequest,
  delayMs: number,
  report: RequestsReport,
): Promise<void> {
  const sender = new Sender(url)
  await wait(delayMs)
  const exchange = await sendUntilDecided(sender, request, report)
  countAnswer(report, request, exchange)
  report.findings.push(...(await judge(url, request, exchange)))
  sender.close()
}

/** Creates a campus, and requests about its resources. */
async function createRequests(
  stage: Stage,
  targets: Target[],
  random: Random,
  number: number,
): Promise<WireRequest[]> {
  const campus = await createCampus(stage.database, `Race${number}`)
  const client = new Client(stage.url, stage.dictionary.token)
  const dictionary = await createOwnDictionary(stage, campus)
  const requests: WireRequest[] = []
  // Each race has a deletion, because most faults that races find come from deleted rows.
  const deletion = random.pick(targets.filter(({ method }) => method === 'DELETE'))
  const length = random.between(REQUESTS_MIN, REQUESTS_MAX)
  const others = Array.from({ length }, () => pickTarget(targets, random, getKind(deletion)))
  for (const [index, target] of [deletion, ...others].entries()) {
    const operation = `${target.method} ${target.template.replace('/api/v1', '')}`
    const create = REQUESTS[operation as keyof typeof REQUESTS]
    if (!create) throw new Error(`test/support/campus.ts has no request for ${operation}`)
    const examples = { [operation]: [await create(campus, client)] }
    const draft = createValidDraft(target, { ...dictionary, examples }, random, 0)
    setHeader(draft, 'X-Request-Id', `race-${number}-${index}`)
    requests.push({ ...encodeDraft(draft, number), again: `--only races --races 1 --from ${number}` })
  }
  return requests
}

/** Returns the resource that a path begins with, such as “bookings”. */
const getKind = ({ template }: Target) => template.split('/')[3]

function pickTarget(targets: Target[], random: Random, kind: string | undefined): Target {
  const isRead = random.chance(READ_SHARE)
  const methods = targets.filter(({ method }) => (method === 'GET') === isRead)
  const alike = methods.filter((target) => getKind(target) === kind)
  return random.pick(alike.length > 0 && random.chance(SAME_KIND_SHARE) ? alike : methods)
}

/** Creates a dictionary that contains only the resources of a campus, so that all requests concern the same ones. */
async function createOwnDictionary({ database, dictionary }: Stage, campus: Campus): Promise<Dictionary> {
  const colleague = await createUser(database)
  const bookables = await database('bookables')
    .whereIn('location_id', [campus.location, campus.guardedFloor])
    .select('id', 'location_id', 'type')
  return {
    ...dictionary,
    buildings: [campus.building],
    locations: [campus.location, campus.empty, campus.guardedFloor],
    bookables: bookables.map(({ id, location_id, type }) => ({
      id: Number(id),
      location_id: Number(location_id),
      type: Number(type),
    })),
    users: [campus.user, colleague],
    emails: [campus.email],
    vehicles: [{ id: campus.vehicle, user_id: campus.user }],
    groups: [campus.group],
  }
}
