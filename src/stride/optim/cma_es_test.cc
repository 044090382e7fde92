#include "stride/optim/cma_es.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/config.h"
#include "stride/core/random.h"
#include "stride/optim/rank_change.h"
#include "stride/testing/input_error_of.h"
#include "stride/testing/objectives.h"

namespace stride {
namespace {

using testing::HasSubstr;
using Return = std::function<double(std::span<const double>, Random*)>;

// Evaluations until the best return is at least `enough`, or the search ends.
long Search(const Return& evaluate, double enough, long most, CmaEs* search) {
  long evaluations = 0;
  std::vector<double> x(search->Dimension()), returns;
  while (search->BestReturn() < enough && !search->Converged() && evaluations < most) {
    returns.resize(search->Population());
    for (int i = 0; i < search->Population(); ++i) {
      search->Ask(i, x);
      Random random(0xe7a1, search->Iteration(), i);
      returns[i] = evaluate(x, &random);
    }
    evaluations += search->Population();
    search->Tell(returns);
  }
  return evaluations;
}

Return Minus(double (*objective)(std::span<const double>)) {
  return [objective](std::span<const double> x, Random*) { return -objective(x); };
}

SearchSpace From(int n, double start) { return {.start = std::vector<double>(n, start)}; }

SearchSpace Box(int n, double start, double lower, double upper) {
  return {.start = std::vector<double>(n, start),
          .lower = std::vector<double>(n, lower),
          .upper = std::vector<double>(n, upper)};
}

// Table 1 of the tutorial, for the default population of n = 10, written out.
TEST(CmaConstantsTest, AreThoseOfTheTutorial) {
  const int n = 10, lambda = 10, mu = 5;
  EXPECT_EQ(CmaDefaultPopulation(n), lambda);
  const CmaConstants c = MakeCmaConstants(n, lambda, false, true);
  double raw[10], positive = 0, positive2 = 0, negative = 0, negative2 = 0;
  for (int i = 1; i <= lambda; ++i) {
    raw[i - 1] = std::log(5.5) - std::log(i);
    (i <= mu ? positive : negative) += raw[i - 1];
    (i <= mu ? positive2 : negative2) += raw[i - 1] * raw[i - 1];
  }
  const double m = positive * positive / positive2;
  const double c1 = 2 / (std::pow(n + 1.3, 2) + m);
  const double cmu = 2 * (0.25 + m + 1 / m - 2) / (std::pow(n + 2, 2) + 2 * m / 2);
  EXPECT_NEAR(c.mass, m, 1e-12);
  EXPECT_NEAR(c.sigma_rate, (m + 2) / (n + m + 5), 1e-12);
  EXPECT_NEAR(c.sigma_damping, 1 + c.sigma_rate, 1e-12);  // sqrt((m - 1) / (n + 1)) < 1
  EXPECT_NEAR(c.path_rate, (4 + m / n) / (n + 4 + 2 * m / n), 1e-12);
  EXPECT_NEAR(c.rank_one_rate, c1, 1e-12);
  EXPECT_NEAR(c.rank_mu_rate, cmu, 1e-12);
  const double m_minus = negative * negative / negative2;
  const double alpha =
      std::min({1 + c1 / cmu, 1 + 2 * m_minus / (m + 2), (1 - c1 - cmu) / (n * cmu)});
  for (int i = 0; i < lambda; ++i) {
    EXPECT_NEAR(c.weights[i], i < mu ? raw[i] / positive : raw[i] * alpha / std::abs(negative),
                1e-12);
  }
  // What Hansen's own program prints: "(5_w,10)-aCMA-ES (mu_w=3.2,w_1=45%) in dimension 10", and
  // "(6_w,12)-aCMA-ES (mu_w=3.7,w_1=40%) in dimension 20".
  EXPECT_NEAR(c.mass, 3.2, 0.05);
  EXPECT_NEAR(c.weights[0], 0.45, 0.01);
  const CmaConstants twenty = MakeCmaConstants(20, CmaDefaultPopulation(20), false, true);
  EXPECT_EQ(twenty.weights.size(), 12u);
  EXPECT_NEAR(twenty.mass, 3.7, 0.05);
  EXPECT_NEAR(twenty.weights[0], 0.40, 0.01);
  // Without unlearning the others weigh nothing; a large population damps sigma.
  EXPECT_EQ(MakeCmaConstants(n, lambda, false, false).weights[7], 0);
  const CmaConstants many = MakeCmaConstants(2, 400, false, true);
  EXPECT_NEAR(many.sigma_damping, 1 + 2 * (std::sqrt((many.mass - 1) / 3) - 1) + many.sigma_rate,
              1e-12);
  // The mean length of 200000 normal vectors.
  Random random(3);
  double length = 0;
  for (int k = 0; k < 200000; ++k) {
    length += std::hypot(random.Normal(), random.Normal(), random.Normal()) / 200000;
  }
  EXPECT_NEAR(MakeCmaConstants(3, 7, false, true).expected_norm, length, 0.01);
}

TEST(CmaConstantsTest, ADiagonalIsLearnedFaster) {
  const CmaConstants full = MakeCmaConstants(100, 17, false, true);
  const CmaConstants separable = MakeCmaConstants(100, 17, true, true);
  EXPECT_NEAR(separable.rank_one_rate, full.rank_one_rate * 102 / 3, 1e-12);
  EXPECT_NEAR(separable.rank_mu_rate, full.rank_mu_rate * 102 / 3, 1e-12);
  for (const int n : {1, 2, 5, 50, 1000}) {
    for (const int lambda : {2, 4, 20, 5000}) {
      for (const bool diagonal : {false, true}) {
        const CmaConstants c = MakeCmaConstants(n, lambda, diagonal, true);
        EXPECT_LE(c.rank_one_rate + c.rank_mu_rate, 1 + 1e-12) << n << " " << lambda;
        for (const double w : c.weights) EXPECT_TRUE(std::isfinite(w)) << n << " " << lambda;
      }
    }
  }
}

TEST(CmaEsTest, LearnsTheShapeOfTheFunction) {
  CmaEs search({}, 1, From(6, 1));
  Search(Minus(SkewEllipsoid), -1e-8, 100000, &search);
  ASSERT_GE(search.BestReturn(), -1e-8);
  // The covariance is the inverse of the Hessian but for a factor: their eigenvalues.
  std::vector<double> lengths = search.State().lengths;
  std::sort(lengths.begin(), lengths.end());
  EXPECT_NEAR(std::log10(lengths.back() / lengths.front()), 3, 0.4);
  EXPECT_LT(Sphere(search.Mean()), 1e-4);
  EXPECT_LE(SkewEllipsoid(search.Best()), 1e-8);
  EXPECT_EQ(-SkewEllipsoid(search.Best()), search.BestReturn());
}

TEST(CmaEsTest, RestartsWithMoreCandidatesFindTheLowestOfManyMinima) {
  for (const int n : {10, 20}) {
    CmaOptions options;
    options.sigma = 2;
    CmaEs once(options, 5, Box(n, 3, -5, 5));
    Search(Minus(Rastrigin), -1e-10, 3'000'000, &once);
    EXPECT_LT(once.BestReturn(), -0.9);  // a local one
    EXPECT_EQ(once.StopReason(), "the returns do not differ any more");
    options.restarts = 9;
    CmaEs search(options, 5, Box(n, 3, -5, 5));
    Search(Minus(Rastrigin), -1e-10, 3'000'000, &search);
    EXPECT_GE(search.BestReturn(), -1e-10);
    EXPECT_GT(search.State().run, 0u);
    EXPECT_EQ(search.State().population, CmaDefaultPopulation(n) << search.State().run);
  }
}

TEST(CmaEsTest, AThousandParametersByTheirDiagonal) {
  CmaEs search({}, 2, From(1000, 1));
  EXPECT_TRUE(search.Separable());
  EXPECT_FALSE(CmaEs({}, 2, From(300, 1)).Separable());
  EXPECT_TRUE(CmaEs({.covariance = "separable"}, 2, From(3, 1)).Separable());
  EXPECT_FALSE(CmaEs({.covariance = "full"}, 2, From(301, 1)).Separable());
  const auto evaluate = [](double condition) {
    return [=](std::span<const double> x, Random*) { return -Ellipsoid(x, condition); };
  };
  // From 1.45e5.
  const long evaluations = Search(evaluate(1e3), -1, 130'000, &search);
  EXPECT_GE(search.BestReturn(), -1);
  RecordProperty("evaluations", static_cast<int>(evaluations));
  // Of fewer parameters to the end. What is learned is the inverse of the curvature.
  CmaEs fewer({.covariance = "separable"}, 2, From(100, 1));
  Search(evaluate(1e6), -1e-10, 50'000, &fewer);
  EXPECT_GE(fewer.BestReturn(), -1e-10);
  EXPECT_NEAR(std::log10(fewer.State().lengths.front() / fewer.State().lengths.back()), 3, 0.4);
}

TEST(CmaEsTest, ScalesAndStartShiftTheSearchOnly) {
  SearchSpace scaled = From(4, 8);
  scaled.scales = {16, 0.25, 4, 1024};
  const CmaEs wide({}, 9, scaled);
  EXPECT_EQ(wide.Mean()[2], 8);
  std::vector<double> x(4), y(4);
  for (int i = 0; i < wide.Population(); ++i) {
    wide.Ask(i, x);
    for (int j = 0; j < 4; ++j) {
      const CmaEs plain({}, 9, From(4, 8 / scaled.scales[j]));
      plain.Ask(i, y);
      EXPECT_EQ(x[j], scaled.scales[j] * y[j]);
    }
  }
  double square = 0;
  const int many = 20000;
  const CmaEs sampled({.population = many, .sigma = 0.5}, 9, scaled);
  for (int i = 0; i < many; ++i) {
    sampled.Ask(i, x);
    square += std::pow(x[0] - 8, 2) / many;
  }
  EXPECT_NEAR(std::sqrt(square), 0.5 * 16, 0.1);
}

TEST(BoxFoldTest, FoldsTheLineIntoTheBoxWithoutCorners) {
  const BoxFold fold({-1, -HUGE_VAL, 0}, {1, 2, HUGE_VAL}, 0.5);
  for (int j = 0; j < 3; ++j) {
    const double lower = j == 0 ? -1 : (j == 1 ? -HUGE_VAL : 0);
    const double upper = j == 0 ? 1 : (j == 1 ? 2 : HUGE_VAL);
    double before = fold.ToBox(j, -10);
    for (double y = -10; y < 10; y += 1e-3) {
      const double x = fold.ToBox(j, y);
      EXPECT_GE(x, lower);
      EXPECT_LE(x, upper);
      EXPECT_LT(std::abs(x - before), 1.001e-3);  // its slope is never above 1
      EXPECT_NEAR(fold.ToBox(j, fold.FromBox(j, x)), x, 1e-12);
      before = x;
    }
  }
  for (const double y : {-0.9, -0.3, 0.0, 0.9}) EXPECT_EQ(fold.ToBox(0, y), y);
  EXPECT_EQ(fold.ToBox(0, -1.1), -1);
  EXPECT_EQ(fold.ToBox(1, 2.5), 2);
  EXPECT_EQ(BoxFold().ToBox(0, 7), 7);
}

TEST(CmaEsTest, BoundsWithTheOptimumOnThemAndOff) {
  const int n = 10;
  const auto evaluate = [](double centre) {
    return [centre](std::span<const double> x, Random*) {
      double sum = 0;
      for (std::size_t j = 0; j < x.size(); ++j) {
        EXPECT_GE(x[j], 0);
        EXPECT_LE(x[j], 1);
        // Of every other parameter the free optimum lies outside by `centre`, of the others inside.
        sum += std::pow(x[j] - (j % 2 == 0 ? centre : 0.3), 2);
      }
      return -sum;
    };
  };
  CmaOptions options;
  options.sigma = 0.3;
  long inside = 0;
  for (const double centre : {0.4, -1.0, 0.0, 1.0, 2.0, 0.99, 1e-4}) {
    const double nearest = std::clamp(centre, 0.0, 1.0);
    const double best = -5 * std::pow(centre - nearest, 2);
    CmaEs search(options, 4, Box(n, 0.5, 0, 1));
    const long evaluations = Search(evaluate(centre), best - 1e-10, 100000, &search);
    EXPECT_GE(search.BestReturn(), best - 1e-10) << centre;
    EXPECT_NEAR(search.Best()[0], nearest, 2e-5) << centre;
    EXPECT_NEAR(search.Best()[1], 0.3, 2e-5) << centre;
    if (centre == 0.4) inside = evaluations;
    // On the bound it is found as fast as inside.
    EXPECT_LT(evaluations, 2.5 * inside) << centre;
  }
  // Inside it takes what it takes without bounds.
  CmaEs free(options, 4, From(n, 0.5));
  const long unbounded = Search(
      [](std::span<const double> x, Random*) {
        double sum = 0;
        for (std::size_t j = 0; j < x.size(); ++j) sum += std::pow(x[j] - (j % 2 ? 0.3 : 0.4), 2);
        return -sum;
      },
      -1e-10, 100000, &free);
  EXPECT_LT(inside, 1.3 * static_cast<double>(unbounded));
}

TEST(CmaEsTest, ABoundThatTiesParametersTogether) {
  // The lowest point of (x + y - 3)^2 + (x - y)^2 / 100 for x <= 1, by hand: at x = 1 the slope in
  // y, 2 (y - 2) + (y - 1) / 50, vanishes at y = 2.01 / 1.01.
  SearchSpace space = From(2, 0);
  space.upper = {1, HUGE_VAL};
  CmaEs search({}, 3, space);
  Search([](std::span<const double> x,
            Random*) { return -std::pow(x[0] + x[1] - 3, 2) - std::pow(x[0] - x[1], 2) / 100; },
         HUGE_VAL, 20000, &search);
  EXPECT_TRUE(search.Converged());
  EXPECT_NEAR(search.Best()[0], 1, 1e-6);
  EXPECT_NEAR(search.Best()[1], 2.01 / 1.01, 1e-5);
}

TEST(CmaEsTest, ReturnsThatAreNotFinite) {
  // Half of the space says nothing of use, among it all before the tenth iteration.
  CmaEs search({}, 6, From(5, 2));
  std::vector<double> x(5), returns(search.Population());
  for (int iteration = 0; iteration < 400 && !search.Converged(); ++iteration) {
    for (int i = 0; i < search.Population(); ++i) {
      search.Ask(i, x);
      for (const double v : x) ASSERT_TRUE(std::isfinite(v));
      returns[i] = -Sphere(x);
      if (x[0] < -0.01) returns[i] = i % 2 ? std::nan("") : HUGE_VAL;
      if (iteration < 10) returns[i] = i % 3 ? std::nan("") : -HUGE_VAL;
    }
    search.Tell(returns);
  }
  EXPECT_GT(search.BestReturn(), -1e-10);
  EXPECT_LE(search.BestReturn(), 0);
}

TEST(RankChangeTest, IsThatOfThePaper) {
  // By hand: ranks 1 and 4 of {3, 2, 2, 1.5, 1, 1}; the tenth percentile of {0, 1, 1, 2, 2} and of
  // {0, 1, 2, 3, 4} is 0.4.
  const double first[] = {3, 2, 1}, second[] = {1.5};
  EXPECT_NEAR(RankChange(first, second, 0.2), 2 * 2 - 0.4 - 0.4, 1e-12);
  // No noise: no change at all, also of equals.
  EXPECT_LE(RankChange(first, first, 0.2), 0);
  const std::vector<double> equal(20, 1.0);
  EXPECT_LE(RankChange(equal, equal, 0.2), 0);
  // Nothing but noise.
  Random random(8);
  double sum = 0;
  for (int k = 0; k < 100; ++k) {
    std::vector<double> a(20), b(20);
    for (int i = 0; i < 20; ++i) a[i] = random.Normal(), b[i] = random.Normal();
    sum += RankChange(a, b, 0.2) / 100;
  }
  EXPECT_GT(sum, 1);
}

double Noisy(std::span<const double> x, Random* random) {
  return -Sphere(x) + 3 * random->Normal();
}

TEST(CmaEsTest, NoiseIsAveragedWhereItDominates) {
  std::vector<double> plain, handled;
  double most = 1;
  for (int seed = 1; seed <= 9; ++seed) {
    for (const bool handle : {false, true}) {
      CmaOptions options;
      options.sigma = 1;
      if (handle) options.reevaluated = 0.2;
      CmaEs search(options, seed, From(10, 3));
      EXPECT_EQ(search.Population(), handle ? 12 : 10);  // two are asked twice
      long evaluations = 0;
      while (evaluations < 30000 && !search.Converged()) {
        evaluations += Search(Noisy, HUGE_VAL, 1, &search);
        most = std::max(most, search.State().evaluations);
      }
      (handle ? handled : plain).push_back(Sphere(search.Mean()));
    }
  }
  std::sort(plain.begin(), plain.end());
  std::sort(handled.begin(), handled.end());
  RecordProperty("plain", std::to_string(plain[4]));
  RecordProperty("handled", std::to_string(handled[4]));
  EXPECT_EQ(most, 16);
  EXPECT_LT(handled[4], 0.5 * plain[4]);
  // Without noise nothing is asked more often than the few.
  CmaEs quiet({.reevaluated = 0.2}, 1, From(10, 3));
  Search(Minus(Sphere), -1e-8, 100000, &quiet);
  EXPECT_EQ(quiet.State().evaluations, 1);
}

TEST(CmaEsTest, CopiesOfACandidateAreEqual) {
  CmaOptions options;
  options.reevaluated = 0.3;
  CmaEs search(options, 2, From(10, 1));
  while (search.State().evaluations < 3) Search(Noisy, HUGE_VAL, 1, &search);
  const int lambda = search.State().population, times = search.Population() / (lambda + 3);
  EXPECT_GE(times, 3);
  std::vector<double> a(10), b(10);
  for (int i = 0; i < search.Population(); ++i) {
    search.Ask(i, a);
    search.Ask(i < times * lambda ? i % lambda : (i - times * lambda) % 3, b);
    EXPECT_EQ(a, b);
  }
}

TEST(CmaEsTest, EndsForAReasonAndThenStays) {
  const auto reason = [](CmaOptions options, const Return& evaluate) {
    CmaEs search(options, 3, From(3, 1));
    Search(evaluate, HUGE_VAL, 1'000'000, &search);
    const CmaState end = search.State();
    search.Tell(std::vector<double>(search.Population(), 5.0));
    EXPECT_EQ(search.State(), end);
    return std::string(search.StopReason());
  };
  EXPECT_EQ(reason({}, Minus(Sphere)), "the returns do not differ any more");
  EXPECT_EQ(reason({}, [](auto, Random*) { return 2.0; }), "the returns do not differ any more");
  EXPECT_EQ(reason({.tolerance_return = 0, .tolerance_parameter = 1e-6}, Minus(Sphere)),
            "the candidates do not differ any more");
  EXPECT_EQ(reason({.largest_condition = 1e3}, Minus(SkewEllipsoid)),
            "the covariance is too ill-conditioned");
  EXPECT_EQ(reason({}, [](auto, Random* random) { return random->Normal(); }),
            "no better for long");
  EXPECT_EQ(reason({}, [](std::span<const double> x, Random*) { return x[0]; }),
            "the candidates spread without end");
}

TEST(CmaEsTest, RefusesSpacesThatContradictThemselves) {
  const auto error = [](const SearchSpace& space) {
    return InputErrorOf([&] { CmaEs({}, 1, space); });
  };
  EXPECT_THAT(error({}), HasSubstr("without parameters"));
  EXPECT_THAT(error({.start = {1, 2}, .scales = {1}}), HasSubstr("1 scales for 2 parameters"));
  EXPECT_THAT(error({.start = {1}, .scales = {0}}), HasSubstr("expected above 0"));
  EXPECT_THAT(error({.start = {std::nan("")}}), HasSubstr("not finite"));
  EXPECT_THAT(error(Box(1, 1, 2, 2)), HasSubstr("expected lower below upper"));
  EXPECT_THAT(error(Box(2, 3, 0, 1)), HasSubstr("outside its bounds 0 to 1"));
}

TEST(CmaEsTest, OptionsAreConfigured) {
  CmaOptions options;
  SetConfigValue("covariance=separable", &options);
  EXPECT_EQ(options.covariance, "separable");
  EXPECT_NE(InputErrorOf([&] { SetConfigValue("sigma=0", &options); }), "");
}

}  // namespace
}  // namespace stride
