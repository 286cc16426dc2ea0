// Watches the processes in which a worker reads import files, and records the peak memory.
import { readFileSync } from 'node:fs'
import type { Figures, Finding } from '../findings.ts'

const POLL_INTERVAL_MS = 250
// The memory limit for an xls file, and the memory of Node itself, which the limit does not include.
const RSS_MB_MAX = 768 + 128 + 64

export function watchSheetReaders(workerPid: number) {
  let seen = 0
  let largestMb = 0
  const known = new Set<number>()
  const look = setInterval(() => {
    for (const pid of listChildren(workerPid)) {
      if (!known.has(pid)) seen++
      known.add(pid)
      largestMb = Math.max(largestMb, readPeakMemory(pid))
    }
  }, POLL_INTERVAL_MS)
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

// Finds child processes in /proc, which is faster than running ps four times a second.
function listChildren(pid: number): number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return list.split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function readPeakMemory(pid: number): number {
  try {
    const [, kb = '0'] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Math.round(Number(kb) / 1024)
  } catch {
    // Ignores a process that has ended.
    return 0
  }
}
