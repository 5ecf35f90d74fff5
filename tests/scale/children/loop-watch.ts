/** The delays of the main thread in milliseconds, and memory in bytes. */
export interface LoopReport {
  /** Most processor time that it spent before it came back to its timers: what others wait for on any machine. */
  readonly busy: number;
  /** Most time of the clock: the same, and whatever else the machine was doing. */
  readonly late: number;
  /** Resident memory at the reset, and at most since. */
  readonly residentBefore: number;
  readonly residentMost: number;
}

const processorTime = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** Looks at the clocks each millisecond. */
export class LoopWatch {
  readonly #timer: NodeJS.Timeout;
  #clock = performance.now();
  #processor = processorTime();
  #ticks = 0;
  #report: LoopReport = { busy: 0, late: 0, residentBefore: 0, residentMost: 0 };

  constructor() {
    this.reset();
    this.#timer = setInterval(() => this.#tick(), 1);
  }

  reset(): void {
    const resident = process.memoryUsage.rss();
    this.#report = { busy: 0, late: 0, residentBefore: resident, residentMost: resident };
    this.#clock = performance.now();
    this.#processor = processorTime();
  }

  report(): LoopReport {
    this.#tick();
    return this.#report;
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const [clock, processor] = [performance.now(), processorTime()];
    const { busy, late, residentBefore, residentMost } = this.#report;
    this.#ticks += 1;
    this.#report = {
      busy: Math.max(busy, processor - this.#processor),
      late: Math.max(late, clock - this.#clock),
      residentBefore,
      // Asking takes some microseconds.
      residentMost: this.#ticks % 10 === 0 ? Math.max(residentMost, process.memoryUsage.rss()) : residentMost,
    };
    this.#clock = clock;
    this.#processor = processor;
  }
}
