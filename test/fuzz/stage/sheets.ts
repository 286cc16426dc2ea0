// Watches the processes in which a worker reads import files: how large the largest became.
import { readFileSync } from 'node:fs'
import type { Figures, Finding } from '../findings.ts'

const LOOK_MS = 250
// What an xls may take, and Node’s own code, which the limit does not count.
const RSS_MB_MAX = 768 + 128 + 64

export function watchSheets(workerPid: number) {
  let seen = 0
  let largestMb = 0
  const known = new Set<number>()
  const look = setInterval(() => {
    for (const pid of childrenOf(workerPid)) {
      if (!known.has(pid)) seen++
      known.add(pid)
      largestMb = Math.max(largestMb, peakOf(pid))
    }
  }, LOOK_MS)
  look.unref()
  return {
    figures(): Figures {
      clearInterval(look)
      return {
        'files read for an import (those that were seen)': seen,
        'the largest such process': `${largestMb} MB`,
      }
    },
    findings(): Finding[] {
      if (largestMb <= RSS_MB_MAX) return []
      return [
        { promise: 'a file is read within its limits', what: `a process of an import took ${largestMb} MB` },
      ]
    },
  }
}

// Cheaper than asking ps, four times a second.
function childrenOf(pid: number): number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return list.split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function peakOf(pid: number): number {
  try {
    const [, kb = '0'] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Math.round(Number(kb) / 1024)
  } catch {
    // It has ended.
    return 0
  }
}
