// Tests what the doctor says about busy processes.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { checkLoads } from '../../commands/doctor/load.ts'
import { checkQueues } from '../../commands/doctor/queues.ts'
import type { BusyProcess } from '../../shared/identity/heartbeat.ts'
import { LoadMeter } from '../../shared/identity/load.ts'
import { eventually } from '../support/time.ts'
import { useWorld } from '../support/world.ts'

const QUEUES_OF = { web: [], worker: ['writes', 'upkeep'], files: ['imports', 'exports'] }

function describeProcess(
  name: keyof typeof QUEUES_OF,
  busyCores: number,
  host = 'one',
  cores = 4,
): BusyProcess {
  const queues = QUEUES_OF[name]
  return { process: `${name}-${host}`, database: '', queues, host, pid: 1, load: { busyCores, cores } }
}

const check = (processes: BusyProcess[], about: string) => checkLoads(processes)[about]?.()

describe('the doctor, about busy processes', () => {
  const world = useWorld({ workers: ['writes'] })

  it('says how busy each kind of process is', () => {
    const processes = [
      describeProcess('web', 0.51),
      describeProcess('web', 0.4),
      describeProcess('worker', 0.05),
    ]
    expect(check(processes, 'load of web')).to.equal('51 %, 40 % of a core')
    expect(check(processes, 'load of worker')).to.equal('5 % of a core')
    expect(check(processes, 'load of files')).to.equal(undefined)
  })

  it('asks for another process of the kind that is short of processor time', () => {
    const processes = [describeProcess('web', 0.3), describeProcess('worker', 0.95)]
    expect(check(processes, 'load of worker')).to.deep.equal({
      level: 'warning',
      says: '95 % of a core',
      todo: 'Start another “worker” if its machine has idle cores.',
    })
    expect(check(processes, 'load of web')).to.equal('30 % of a core')
  })

  it('asks for a machine with idle cores if Berth uses all cores of this one', () => {
    const processes = [describeProcess('web', 0.9, 'one', 2), describeProcess('worker', 0.85, 'one', 2)]
    for (const name of ['web', 'worker'])
      expect(check(processes, `load of ${name}`)).to.deep.include({
        level: 'warning',
        todo: `Start another “${name}” on a machine with idle cores.`,
      })
  })

  it('asks for no other machine if one of the machines with this kind of process has idle cores', () => {
    const processes = [
      describeProcess('worker', 0.95, 'one', 1),
      describeProcess('worker', 0.95, 'two', 2),
      describeProcess('web', 0.7, 'one', 1),
    ]
    expect(check(processes, 'load of worker')).to.deep.include({
      todo: 'Start another “worker” if its machine has idle cores.',
    })
  })

  it('reads the load from the heartbeats of running processes', async () => {
    await eventually(async () => {
      const findings = await checkQueues(world.config)
      for (const name of ['web', 'worker'])
        expect(findings.find(({ about }) => about === `load of ${name}`)?.says).to.match(
          /^(\d+ %(, )?)+ of a core$/,
        )
    })
  })

  it('counts the processor time since the last heartbeat', async () => {
    const meter = new LoadMeter()
    const startedMs = performance.now()
    while (performance.now() - startedMs < 200) Math.sqrt(startedMs)
    const busy = meter.read().busyCores
    expect(busy).to.be.greaterThan(0)
    expect(busy).to.be.at.most(1)
    await wait(400)
    expect(meter.read().busyCores).to.be.lessThan(busy)
  })
})
