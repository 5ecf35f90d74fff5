/** Texts of the page of recurring jobs. */
export const schedules = {
  title: '周期任务',
  empty: '没有周期任务。',
  paused: '已暂停',
  pause: '暂停',
  resume: '恢复',
  pausedNow: '“%{name}”已在所有实例上暂停',
  resumed: '“%{name}”已恢复，从下一个触发时刻起运行',
  failedRuns: '%{name} 失败 %{count} 次',
  lead: '暂停后不再安排新的运行；已在等待或重试的运行不受影响。',
};
