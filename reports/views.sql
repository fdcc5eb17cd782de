-- Views over the results warehouse. Works in a plain `duckdb` shell started in the root of the checkout:
--     .read reports/views.sql
-- and in `mnemobench sql`, which loads it. There must be at least one run: `make run`.
--
-- Every table has the columns `dataset` and `run_id` (from the names of its folders). A view shows complete runs only,
-- that is runs with a row in `runs`. Every run writes every table, empty where it has nothing to say; in a warehouse whose
-- runs are all older than a table, that table's view cannot be made here (`mnemobench sql` shows it empty). Columns, units and the meaning of null: data/README.md.
-- An undefined value is NaN, not null: `isfinite(value)` is false then; the views named `means` and `scores` deal with it.

CREATE OR REPLACE VIEW runs AS
SELECT * FROM read_parquet('reports/warehouse/runs/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true);

CREATE OR REPLACE VIEW queries AS
SELECT * FROM read_parquet('reports/warehouse/queries/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW query_metrics AS
SELECT * FROM read_parquet('reports/warehouse/query_metrics/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW behaviour AS
SELECT * FROM read_parquet('reports/warehouse/behaviour/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW rankings AS
SELECT * FROM read_parquet('reports/warehouse/rankings/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW summary AS
SELECT * FROM read_parquet('reports/warehouse/summary/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW comparisons AS
SELECT * FROM read_parquet('reports/warehouse/comparisons/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW suppression AS
SELECT * FROM read_parquet('reports/warehouse/suppression/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW ties AS
SELECT * FROM read_parquet('reports/warehouse/ties/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW answerability AS
SELECT * FROM read_parquet('reports/warehouse/answerability/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW defects AS
SELECT * FROM read_parquet('reports/warehouse/defects/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW timings AS
SELECT * FROM read_parquet('reports/warehouse/timings/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW artifacts AS
SELECT * FROM read_parquet('reports/warehouse/artifacts/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW suppression_trace AS
SELECT * FROM read_parquet('reports/warehouse/suppression_trace/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW stream_metrics AS
SELECT * FROM read_parquet('reports/warehouse/stream_metrics/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW sweep_metrics AS
SELECT * FROM read_parquet('reports/warehouse/sweep_metrics/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

CREATE OR REPLACE VIEW study_cells AS
SELECT * FROM read_parquet('reports/warehouse/study_cells/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
SEMI JOIN runs USING (dataset, run_id);

-- The last complete run of each data set and main protocol; sweeps over parameters are not among them. `SEMI JOIN latest_runs USING (dataset, run_id, protocol)` keeps
-- a table to the main protocol; without `protocol` in the list the run's other protocols are there too.
CREATE OR REPLACE VIEW latest_runs AS
SELECT * FROM runs WHERE kind IS DISTINCT FROM 'sweep'
QUALIFY row_number() OVER (PARTITION BY dataset, protocol ORDER BY finished_at DESC, run_id DESC) = 1;

-- Comparisons of the main family, the one of the headline: one row per protocol, block, variant and measure. In
-- `comparisons` a variant has a row for each family it is in. Runs of schema version 2 had one family, and no name for it.
CREATE OR REPLACE VIEW main_comparisons AS
SELECT * FROM comparisons WHERE coalesce(family_index, 0) = 0;

-- Values of single questions (measures and behaviours) beside what is known of the question.
CREATE OR REPLACE VIEW scores AS
SELECT m.*, q.question_type, q.block, q.scope_id, q.n_relevant, q.n_pool
FROM (SELECT * FROM query_metrics UNION ALL BY NAME SELECT * FROM behaviour) AS m
JOIN queries AS q USING (dataset, run_id, protocol, query_id);

-- Means recomputed from single questions, per block and over all questions; undefined values are counted, not averaged.
CREATE OR REPLACE VIEW means AS
SELECT dataset, run_id, protocol, coalesce(block, 'all') AS block, variant, measure,
       avg(value) FILTER (WHERE isfinite(value)) AS mean,
       count(*) FILTER (WHERE isfinite(value)) AS n,
       count(*) FILTER (WHERE NOT isfinite(value)) AS n_undefined
FROM scores
GROUP BY GROUPING SETS ((dataset, run_id, protocol, block, variant, measure),
                        (dataset, run_id, protocol, variant, measure));

-- Per question: a variant's value less the baseline's, for questions where both are defined.
CREATE OR REPLACE MACRO paired_differences(of_measure, to_baseline) AS TABLE
SELECT s.dataset, s.run_id, s.protocol, s.query_id, s.question_type, s.block, s.scope_id, s.variant, s.measure,
       s.value, b.value AS baseline_value, s.value - b.value AS delta
FROM scores AS s
JOIN query_metrics AS b
  ON b.dataset = s.dataset AND b.run_id = s.run_id AND b.protocol = s.protocol AND b.query_id = s.query_id AND b.measure = s.measure
WHERE s.measure = of_measure AND b.variant = to_baseline AND s.variant <> to_baseline
  AND isfinite(s.value) AND isfinite(b.value);
